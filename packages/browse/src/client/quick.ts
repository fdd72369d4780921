/**
 * The part of the client that every command loads: no settings, no zod, nothing that starts processes. What it cannot do
 * (no daemon, an older one, help), the full client does.
 */
export { callRunning } from "./call-running.ts";
export { type Build, isNewerBuild } from "./compare-builds.ts";
export { findDaemon } from "./daemon-state.ts";
export { defaultSession } from "./default-session.ts";
export { type CommandReply, isWhole, type Transport } from "./wire.ts";
export { findWorkspace } from "./workspace.ts";
