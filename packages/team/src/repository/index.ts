/** Entry point of repository. */
export { canonicalRemote, folderKey } from "./canonical-remote.ts";
export { repositoryOf } from "./repository-of.ts";
