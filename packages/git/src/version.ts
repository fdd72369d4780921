/**
 * Which git is new enough.
 *
 * - `isOldGit(version)` true before `minimumGitVersion`.
 */
import { isAtLeast } from "@devflow/core/version-order";

/** 2.38 brought `safe.bareRepository` and `merge-tree --write-tree`. */
export const minimumGitVersion = "2.38";

export const isOldGit = (version: string): boolean => !isAtLeast(version, minimumGitVersion);
