/** Entry point: the workspaces on this machine where browsers were started. */
export { type KnownWorkspace, knownWorkspaces, noteWorkspace } from "./known-workspaces.ts";
