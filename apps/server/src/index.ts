export { mountBrowse } from "./browse-mount.ts";
export { mountEvals } from "./evals-mount.ts";
export type { Mounted } from "./mounts/mounts.ts";
export type { ServerParts } from "./mounts/server-parts.ts";
export { mountRuns } from "./runs-mount.ts";
export { type EvalServer, startEvalServer } from "./start-eval-server.ts";
export {
  type RunningServer,
  type ServerOptions,
  type Systems,
  startServer,
} from "./start-server.ts";
export { startTeamView, type TeamView } from "./start-team-view.ts";
export { folderAssets } from "./web-assets/folder-assets.ts";
