/** Entry point of the client: finds or starts the daemon and sends one command. */
export { callDaemon } from "./call-daemon.ts";
export { callRunning } from "./call-running.ts";
export { type Build, isNewerBuild } from "./compare-builds.ts";
export { type DaemonState, findDaemon } from "./daemon-state.ts";
export { defaultSession, sessionVariables } from "./default-session.ts";
export { netTransport } from "./net-transport.ts";
export { patienceMs } from "./patience.ts";
export { socketPath } from "./socket-path.ts";
export { lockedExit, prepareFolder, type StartOptions } from "./start-daemon.ts";
export { endByForce, stuckError } from "./stuck-daemon.ts";
export {
  type CommandReply,
  type CommandRequest,
  commandPath,
  decodeResponse,
  encodeRequest,
  handoverPath,
  isWhole,
  overviewPath,
  picturePath,
  type QuickRequest,
  type Transport,
} from "./wire.ts";
export { findWorkspace, type Workspace, workspaceAt } from "./workspace.ts";
