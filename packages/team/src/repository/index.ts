/** Entry point of repository. */
export { folderKey } from "./local-name.ts";
export { readRepository, repositoryOf } from "./repository-of.ts";
