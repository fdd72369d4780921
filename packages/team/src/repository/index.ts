/** Entry point of repository. */
export { folderKey } from "./canonical-remote.ts";
export { repositoryOf } from "./repository-of.ts";
