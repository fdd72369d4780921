/**
 * This side of a precheck: what was changed here since it left the branch that it is for.
 *
 * - `ownWork(place, against)` HEAD, its branch, the base and the changed lines, uncommitted ones included.
 */
import { currentBranch, type GitOptions, git } from "@devflow/git";
import { type LineRange, linesOfDiff } from "../edits/index.ts";

export type GitPlace = Pick<GitOptions, "cwd" | "env" | "signal">;

export interface OwnWork {
  readonly head: string;
  readonly branch: string | null;
  /** The branch that it is for, as git names it: `origin/main`. Null when there is none. */
  readonly against: string | null;
  /** The last commit that both have; null when git knows none. */
  readonly base: string | null;
  readonly changed: ReadonlyMap<string, readonly LineRange[]>;
  /** The lines that were added, by file. */
  readonly added: ReadonlyMap<string, readonly string[]>;
}

/** Undefined before the first commit. */
export async function ownWork(place: GitPlace, given: string | undefined): Promise<OwnWork | undefined> {
  const head = await commitOf(place, "HEAD");
  if (head === undefined) return undefined;
  const branch = (await currentBranch(place)) ?? null;
  const against = given ?? (await usualTarget(place, branch)) ?? null;
  const other = against === null ? undefined : await commitOf(place, against);
  const base = other === undefined ? null : await mergeBase(place, head, other);
  const { stdout } = await git(["diff", "--no-color", "--unified=0", "--no-renames"], {
    ...place,
    revisions: [base ?? head],
    maxOutput: 16_000_000,
  });
  return { head, branch, against, base, changed: linesOfDiff(stdout), added: addedLines(stdout) };
}

export async function commitOf(place: GitPlace, revision: string): Promise<string | undefined> {
  const { stdout, exit } = await git(["rev-parse", "--verify", "--quiet"], {
    ...place,
    revisions: [`${revision}^{commit}`],
    answers: [1, 128],
  });
  // With --end-of-options, git before 2.40 prints that word too.
  return exit === 0 ? stdout.trim().split("\n").at(-1) : undefined;
}

export async function mergeBase(place: GitPlace, a: string, b: string): Promise<string | null> {
  const { stdout, exit } = await git(["merge-base", a, b], { ...place, answers: [1, 128] });
  return exit === 0 ? (stdout.trim().split("\n")[0] ?? null) : null;
}

/** The remote's default branch, or a local main or master that is not the branch itself. */
async function usualTarget(place: GitPlace, branch: string | null): Promise<string | undefined> {
  const names = ["origin/HEAD", "origin/main", "origin/master", "main", "master"];
  for (const name of names) {
    if (name !== branch && (await commitOf(place, name)) !== undefined) {
      if (name !== "origin/HEAD") return name;
      const { stdout } = await git(["rev-parse", "--abbrev-ref", "origin/HEAD"], { ...place, answers: [128] });
      return stdout.trim() || name;
    }
  }
  return undefined;
}

function addedLines(diff: string): Map<string, string[]> {
  const found = new Map<string, string[]>();
  let lines: string[] = [];
  for (const line of diff.split("\n")) {
    const path = /^\+\+\+ b\/(.+?)\t?$/.exec(line)?.[1];
    if (path !== undefined) {
      lines = [];
      found.set(path, lines);
    } else if (line.startsWith("+")) lines.push(line.slice(1));
  }
  return found;
}
