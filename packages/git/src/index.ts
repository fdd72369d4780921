export { type GitAnswer, type GitCommand, type GitIdentity, type GitOptions, git, gitCommands } from "./git.ts";
export type { GitProtocol } from "./git-environment.ts";
export { currentBranch, initRepository, type NewRepository, repositoryRoot } from "./repository.ts";
export { type ChangedPath, parseStatus, type RepositoryStatus, repositoryStatus } from "./status.ts";
export { gitVersion, isOldGit, minimumGitVersion, requireGit } from "./version.ts";
