/** Entry point of repository. */
export { folderKey } from "./local-name.ts";
export { repositoryOf } from "./repository-of.ts";
