/** The door: where on this machine browsers were started. */
export { type KnownWorkspace, knownWorkspaces, noteWorkspace, workspaceId } from "./known-workspaces.ts";
