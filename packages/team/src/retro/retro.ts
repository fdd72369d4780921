/**
 * A retro of a repository: what its history says about the last days.
 *
 * - `retroOf(place, span)` numbers, authors, versions, backlog and streak, from git alone. The branch in the worktree and the remote's
 *   default branch are read together, so work is counted whether or not it is merged, and once.
 * - `retroPayload(retro)` the same as the record of a team.
 */
import { type GitOptions, git } from "@devflow/git";
import { type Backlog, readBacklog } from "./backlog.ts";
import type { Commit } from "./commit.ts";
import { readCommits, readCommitsInHalves } from "./read-commits.ts";
import { type AuthorNumbers, type RetroNumbers, retroTally } from "./retro-tally.ts";
import { versionRange } from "./version-range.ts";
import { streakOf } from "./work-sessions.ts";

type Place = Pick<GitOptions, "env" | "signal"> & { readonly root: string };

export interface RetroReport {
  readonly date: string;
  readonly days: number;
  readonly name: string;
  readonly numbers: RetroNumbers;
  readonly authors: readonly AuthorNumbers[];
  readonly streak: number;
  readonly versions: { readonly from: string | null; readonly to: string } | null;
  readonly backlog: Backlog | null;
  readonly tweetable: string;
}

const dayMs = 86_400_000;

export async function retroOf(
  { root, ...rest }: Place,
  { days, untilMs, name }: { readonly days: number; readonly untilMs: number; readonly name: string },
): Promise<RetroReport> {
  const place = { ...rest, cwd: root };
  const sinceMs = untilMs - days * dayMs;
  const date = localDay(untilMs);
  const revisions = await startingPoints(place);
  const tally = retroTally({ sinceMs, untilMs, today: date });
  const isEmpty = revisions.length === 0;
  const [versions, backlog] = await Promise.all([
    isEmpty ? undefined : versionRange(place, { sinceMs, untilMs }),
    readBacklog(root),
    isEmpty ? undefined : readSpan(place, { sinceMs, untilMs, days, revisions }, tally.add),
  ]);
  const { numbers, authors, streak, isStreakCut } = tally.finish();
  const whole = isStreakCut && revisions.length > 0 ? await longStreak(place, revisions, date) : streak;
  const facts = {
    ...{ date, days, name, numbers, authors, streak: whole },
    versions: versions ?? null,
    backlog: backlog ?? null,
  };
  return { ...facts, tweetable: tweetableOf(facts) };
}

/** The span, and then the one before it, which it is compared with. */
async function readSpan(
  place: Pick<GitOptions, "cwd" | "env" | "signal">,
  {
    sinceMs,
    untilMs,
    days,
    revisions,
  }: { sinceMs: number; untilMs: number; days: number; revisions: readonly string[] },
  add: (commit: Commit) => void,
): Promise<void> {
  await readCommitsInHalves(place, { sinceMs, untilMs, revisions }, add);
  // Git counts in seconds, and both ends of a span are part of it.
  const earlier = { sinceMs: sinceMs - days * dayMs, untilMs: sinceMs - 1000, revisions, withFiles: false };
  await readCommits(place, earlier, add);
}

/** HEAD, and the remote's default branch as it was last fetched. */
async function startingPoints(place: Pick<GitOptions, "cwd" | "env" | "signal">): Promise<string[]> {
  const found: string[] = [];
  for (const name of ["HEAD", "refs/remotes/origin/HEAD"]) {
    const { stdout } = await git(["rev-parse", "--verify", "--quiet"], {
      ...place,
      revisions: [`${name}^{commit}`],
      answers: [1, 128],
    });
    // With --end-of-options, older versions of git print that too.
    const sha = stdout.trim().split("\n").at(-1) ?? "";
    if (/^[0-9a-f]{40,64}$/.test(sha)) found.push(sha);
  }
  return [...new Set(found)];
}

/** The days alone, of two years: cheap, and only asked when a streak reaches the beginning of the span. */
async function longStreak(
  place: Pick<GitOptions, "cwd" | "env" | "signal">,
  revisions: readonly string[],
  today: string,
): Promise<number> {
  const { stdout } = await git(["log", "--no-merges", "--since=2 years ago", "--date=short", "--format=%ad %aE"], {
    ...place,
    revisions,
    maxOutput: 256 * 1024 * 1024,
  });
  const days = stdout.split("\n").flatMap((line) => (/\[bot\]@/.test(line) ? [] : [line.slice(0, 10)]));
  return streakOf(new Set(days), today);
}

function localDay(ms: number): string {
  const at = new Date(ms);
  return new Date(ms - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 10);
}

function tweetableOf({ days, name, numbers, streak }: Omit<RetroReport, "tweetable">): string {
  const { commits, people, lines, test_share, assisted } = numbers;
  const added = lines.code.added + lines.tests.added + lines.docs.added;
  const deleted = lines.code.deleted + lines.tests.deleted + lines.docs.deleted;
  const parts = [
    `${commits} ${commits === 1 ? "commit" : "commits"} by ${people} ${people === 1 ? "person" : "people"}`,
    `+${thousands(added)} −${thousands(deleted)} lines`,
    ...(test_share === null ? [] : [`${Math.round(test_share * 100)} % tests`]),
    ...(assisted.commits === 0 ? [] : [`${Math.round((assisted.share ?? 0) * 100)} % with AI`]),
    ...(streak > 1 ? [`${streak}-day streak`] : []),
  ];
  return `${days} days of ${name.slice(0, 100)}: ${parts.join(", ")}.`;
}

const thousands = (amount: number): string => (amount < 1000 ? String(amount) : `${(amount / 1000).toFixed(1)}k`);

export function retroPayload({ date, days, numbers, authors, streak, versions, backlog, tweetable }: RetroReport) {
  return {
    date,
    window: `${days}d`,
    metrics: numbers,
    authors,
    streak_days: streak,
    version_range: versions,
    backlog,
    tweetable,
  };
}
