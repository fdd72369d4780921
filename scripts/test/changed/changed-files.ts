/**
 * The files that differ from another branch: committed since the merge base, not yet committed, and not yet tracked.
 *
 * - `changedFiles(root, base)` their paths from the root, with the base of the comparison.
 */
import { type GitOptions, git } from "@devflow/git";

export interface Changes {
  /** The branch as it was named, and the merge base. */
  readonly base: string;
  readonly commit: string;
  readonly files: readonly string[];
}

/** The message is for the user. */
export class UnknownBase extends Error {}

const usualBases = ["main", "origin/main", "master", "origin/master"];

export async function changedFiles(root: string, wanted: string | undefined): Promise<Changes> {
  const cwd = root;
  const base = await firstKnown(root, wanted === undefined ? usualBases : [wanted]);
  if (base === undefined) {
    const names = wanted ?? usualBases.join(", ");
    throw new UnknownBase(`There is no commit called ${names}. Name another: npm test -- --changed <commit>`);
  }
  const { stdout: commit, exit } = await git(["merge-base"], { cwd, revisions: [base, "HEAD"], answers: [1] });
  if (exit !== 0) throw new UnknownBase(`${base} and this branch have no commit in common.`);
  const since = commit.trim();
  const tracked = await git(["diff", "--name-only", "--no-renames", "--relative", "-z"], { cwd, revisions: [since] });
  const untracked = await git(["ls-files", "--others", "--exclude-standard", "-z"], { cwd });
  const files = [tracked, untracked].flatMap(({ stdout }) => stdout.split("\0")).filter(Boolean);
  return { base, commit: since, files: [...new Set(files)].sort() };
}

async function firstKnown(cwd: GitOptions["cwd"], names: readonly string[]): Promise<string | undefined> {
  for (const name of names) {
    const { exit } = await git(["rev-parse", "--verify", "--quiet"], {
      cwd,
      revisions: [`${name}^{commit}`],
      answers: [1, 128],
    });
    if (exit === 0) return name;
  }
  return undefined;
}
