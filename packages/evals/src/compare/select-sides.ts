/**
 * Selects the runs of a comparison without arguments.
 *
 * - `selectSides(lines, commits)` per suite, tier, model and variant: B is all runs of the newer commit, A all runs of the nearest commit before
 *   it that has any with the same judge (or with another judge if there is none, which compare then refuses). A rejudged run is
 *   left out if the original run is selected: pooled with it, its outputs would count twice.
 * - `withoutTwins(lines)` leaves out rejudged runs whose original is among them.
 * - `isCommit(sha, given)` compares hashes; files often have short ones.
 */
import { rejudgedSource } from "../results/identity.ts";
import type { RunLine } from "../store/index.ts";
import { suiteTierKey } from "./stored-runs.ts";
import { variantKey } from "./variant.ts";

export interface SelectedSuite {
  readonly suite: string;
  readonly tier: RunLine["tier"];
  readonly a: readonly RunLine[];
  readonly b: readonly RunLine[];
  /** The commit of A; null if no commit before B's has a run. */
  readonly sha: string | null;
}

export interface CommitsToCompare {
  readonly newer: string;
  /** The commits that A may come from, nearest first. */
  readonly older: readonly string[];
}

export function selectSides(lines: readonly RunLine[], { newer, older }: CommitsToCompare): SelectedSuite[] {
  return [...Map.groupBy(lines, suiteTierKey).values()].flatMap((runs) => {
    const own = runs.filter(({ gitSha }) => isCommit(gitSha, newer));
    const earlier = runs.filter((run) => !own.includes(run) && !run.isPartial);
    const cells = [...Map.groupBy(own, variantKey).values()];
    return cells.flatMap((cell) => selectCell(cell, earlier, older, cells.length === 1) ?? []);
  });
}

function selectCell(
  own: readonly RunLine[],
  earlier: readonly RunLine[],
  older: readonly string[],
  isOnly: boolean,
): SelectedSuite | null {
  const newest = newestOf(own.filter((run) => originOf(run) === null)) ?? newestOf(own);
  if (!newest) return null;
  const { suite, tier, judgeKey } = newest;
  const b = withoutTwins(own.filter((run) => run.judgeKey === judgeKey));
  const same = earlier.filter((run) => variantKey(run) === variantKey(newest));
  const sameJudge = same.filter((run) => run.judgeKey === judgeKey);
  const a = nearest(sameJudge, older) ?? nearest(same, older) ?? (isOnly ? otherModel(earlier, older) : null);
  return { suite, tier, a: a?.runs ?? [], b, sha: a?.sha ?? null };
}

/** A suite that changed its model is compared with the old one; compare warns of it. A matrix has no such counterpart. */
function otherModel(earlier: readonly RunLine[], older: readonly string[]) {
  const found = nearest(earlier, older);
  return found && new Set(found.runs.map(variantKey)).size === 1 ? found : null;
}

function nearest(lines: readonly RunLine[], older: readonly string[]) {
  const shas = [...new Set(lines.flatMap(({ gitSha }) => (gitSha === null ? [] : [gitSha])))];
  for (const sha of older) {
    if (!shas.some((one) => isCommit(one, sha))) continue;
    return { sha, runs: withoutTwins(lines.filter(({ gitSha }) => isCommit(gitSha, sha))) };
  }
  return null;
}

/** The original run, if this is a rejudged one. */
function originOf({ source }: RunLine): string | null {
  return source.startsWith(rejudgedSource) ? source.slice(rejudgedSource.length) : null;
}

/** For each judge, keeps each output once: from the original run, or else from the last rejudging. */
export function withoutTwins(lines: readonly RunLine[]): RunLine[] {
  const made = new Set(
    lines.filter((line) => originOf(line) === null).map(({ runId, judgeKey }) => `${runId} ${judgeKey}`),
  );
  return lines.filter((line) => {
    const origin = originOf(line);
    if (origin === null) return true;
    if (made.has(`${origin} ${line.judgeKey}`)) return false;
    return !lines.some((one) => originOf(one) === origin && one.judgeKey === line.judgeKey && one.at > line.at);
  });
}

export function isCommit(sha: string | null, given: string): boolean {
  if (sha === null || sha === "") return false;
  return sha === given || (sha.length >= 6 && given.length >= 6 && (given.startsWith(sha) || sha.startsWith(given)));
}

export function newestOf(lines: readonly RunLine[]): RunLine | undefined {
  return lines.reduce<RunLine | undefined>(
    (newest, line) => (newest && newest.at >= line.at ? newest : line),
    undefined,
  );
}
