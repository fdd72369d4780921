export { createFileGate, fileRefusal } from "./file-gate.ts";
export { WorkspaceRules } from "./rules-file.ts";
export { type Failure, openProxy, type SocksProxy } from "./socks-proxy.ts";
export { UrlPolicy } from "./url-policy.ts";
