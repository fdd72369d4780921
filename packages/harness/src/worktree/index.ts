export { type CanonicalOptions, type CanonicalRepository, canonicalRepository } from "./canonical-repository.ts";
export { type CommitAllOptions, type CommitAnswer, commitAll } from "./commit-all.ts";
export { type CopyOptions, copyIntoWorktree } from "./copy-into-worktree.ts";
export {
  type ChangedFile,
  type DiffOptions,
  diffAgainst,
  type FileChange,
  fileChanges,
  type WorktreeDiff,
} from "./diff-against.ts";
export { changedGitState, type GitState, type GitStateOptions, gitStateHash } from "./git-state.ts";
export { type KnownWorktree, listOrphans, type Orphans, type UnknownWorktree } from "./list-orphans.ts";
export {
  type MakeWorktreeOptions,
  makeWorktree,
  type Worktree,
  type WorktreeOrigin,
  worktreeOrigins,
} from "./make-worktree.ts";
export { mainLane, worktreeBranch, worktreePath } from "./places.ts";
export { type RemoveWorktreeOptions, removeWorktree } from "./remove-worktree.ts";
export { type ReadSettingsOptions, type RepositorySettings, readRepositorySettings } from "./repository-settings.ts";
export type { CommitTrailers } from "./trailers.ts";
export { type WorktreeSize, worktreeSize } from "./worktree-size.ts";
