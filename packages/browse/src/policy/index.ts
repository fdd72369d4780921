export { createFileGate, fileRefusal } from "./file-gate.ts";
export { type Failure, openProxy, type Proxy } from "./socks-proxy.ts";
export { alwaysForbidden, type HostRules, UrlPolicy } from "./url-policy.ts";
