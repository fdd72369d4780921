export { ensureLocalUser, type LocalUser, localUserId } from "./auth/local-user.ts";
export { mountBrowse } from "./browse-mount.ts";
export { type EvalsMount, mountEvals } from "./evals-mount.ts";
export type { Mounted } from "./mounts/mounts.ts";
export type { ServerParts } from "./mounts/server-parts.ts";
export { mountRuns, type RunStreamSource, type RunsMount } from "./runs-mount.ts";
export { type EvalServer, type EvalServerOptions, startEvalServer } from "./start-eval-server.ts";
export {
  type RunningServer,
  type ServerLimits,
  type ServerOptions,
  type Systems,
  startServer,
} from "./start-server.ts";
export { folderAssets } from "./web-assets/folder-assets.ts";
export { noWebAssets, type WebAsset, type WebAssets } from "./web-assets/web-assets.ts";
