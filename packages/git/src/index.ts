export { type GitIdentity, type GitOptions, git } from "./git.ts";
export { currentBranch, initRepository, repositoryRoot } from "./repository.ts";
export { type ChangedPath, repositoryStatus } from "./status.ts";
