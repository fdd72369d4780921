export { ensureLocalUser, type LocalUser, localUserId } from "./auth/local-user.ts";
export type { EvalsMount } from "./evals-mount.ts";
export type { RunStreamSource, RunsMount } from "./runs-mount.ts";
export { type EvalServer, type EvalServerOptions, startEvalServer } from "./start-eval-server.ts";
export { type RunningServer, type ServerLimits, type ServerOptions, startServer } from "./start-server.ts";
export { folderAssets } from "./web-assets/folder-assets.ts";
export { noWebAssets, type WebAsset, type WebAssets } from "./web-assets/web-assets.ts";
