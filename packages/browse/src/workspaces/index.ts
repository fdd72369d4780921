/** The door: where on this machine browsers were started. */
export { type KnownWorkspace, knownWorkspaces, noteWorkspace } from "./known-workspaces.ts";
