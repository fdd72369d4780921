/**
 * Chooses the two sides of a comparison.
 *
 * - `chooseSides(store, words, context, more)` Two words: each is a run, a commit, a branch or a label. One word: that one and HEAD.
 *   None: the commit where HEAD's branch started, and HEAD. Outside a repository: the newest run and the one before it.
 *
 * A side is what was asked for. Only the baseline may come from an earlier commit, and the result says how far away and how old it
 * is; if the newer side has no run, nothing is compared, and the result names the nearest runs. `more` are runs of teammates.
 */
import type { CommandContext, InputOf } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import {
  type CommitGraph,
  commitGraph,
  isCommit,
  newestOf,
  predecessorOf,
  runName,
  type SelectedSuite,
  selectSides,
  suiteTierKey,
} from "@devflow/evals/compare";
import type { EvalStore, RunLine } from "@devflow/evals/store";
import { type Commits, openCommits } from "./commits.ts";
import type { evalCompareRecord } from "./store-commands.ts";
import { allLines, given } from "./with-store.ts";
import { plural, shortRun, shortSha, span } from "./words.ts";

export interface Sides {
  readonly a: readonly RunLine[];
  readonly b: readonly RunLine[];
  readonly about: readonly SideNote[];
  /** Runs on commits before A's, nearest commit first; they show how steady the cases are. */
  readonly earlier: readonly (readonly RunLine[])[];
  /** Commits between the two sides, if every suite has the same baseline. */
  readonly distance: number | null;
  /** Why the baseline is empty, with the next command to type. */
  readonly lack: string | null;
  /** Why nothing was compared: the newer side has no run, or both sides are the same runs. */
  readonly missing: string | null;
}

const nothing: Sides = { a: [], b: [], about: [], earlier: [], distance: null, lack: null, missing: null };

export interface SideNote {
  readonly side: "A" | "B";
  /** Null if it applies to all suites. */
  readonly suite: string | null;
  readonly text: string;
}

export type SideWords = Pick<InputOf<typeof evalCompareRecord>, "a" | "b" | "base" | "suite" | "tier">;

export async function chooseSides(
  store: EvalStore,
  words: SideWords,
  context: CommandContext,
  more: readonly RunLine[] = [],
): Promise<Sides> {
  const commits = await openCommits(context);
  const { suite, tier } = words;
  const own = allLines(store, given({ suite, tier }));
  const theirs = more.filter((line) => (suite ?? line.suite) === line.suite && (tier ?? line.tier) === line.tier);
  const lines = theirs.length === 0 ? own : [...own, ...theirs].sort((a, b) => (a.at < b.at ? 1 : -1));
  if (words.a !== undefined) return namedSides(lines, words.a, words.b, { commits });
  if (words.base !== undefined && !(await commits?.commitOf(words.base))) throw unknownCommit(words.base);
  const head = await commits?.head();
  return commits && head
    ? headSides(lines, head, commits, words.base)
    : newestSides(lines, commitGraph(store.commits()));
}

async function headSides(lines: readonly RunLine[], head: string, commits: Commits, base?: string): Promise<Sides> {
  const selected = selectSides(lines, { newer: head, older: await commits.older(head, base) });
  if (selected.length === 0) return { ...nothing, missing: await missingRun("HEAD", head, lines, commits) };
  const about = await notesOf(selected, head, commits);
  const a = selected.flatMap((suite) => suite.a);
  const shas = new Set(selected.map(({ sha }) => sha));
  const [only] = shas;
  const shallow = a.length === 0 && (await commits.isShallow());
  const cause = shallow
    ? "this clone is shallow (fetch the rest: git fetch --unshallow)"
    : "choose another commit or branch: devflow eval compare <a>";
  return {
    a,
    b: selected.flatMap((suite) => suite.b),
    about,
    earlier: only ? await earlierRuns(lines, only, commits) : [],
    distance: shas.size === 1 && only ? await commits.distance(only, head) : null,
    lack: a.length > 0 ? null : `No commit before ${shortSha(head)} has a comparable run; ${cause}.`,
    missing: null,
  };
}

/** What to say of a commit without runs, and the nearest commit before it that has some. */
async function missingRun(
  word: string,
  sha: string,
  lines: readonly RunLine[],
  commits: Pick<Commits, "ancestors" | "distance">,
): Promise<string> {
  const own = `${word}${sha.startsWith(word) ? "" : ` (${shortSha(sha)})`} has no run`;
  for (const one of await commits.ancestors(sha)) {
    const runs = lines.filter(({ gitSha }) => isCommit(gitSha, one));
    const [first] = runs;
    if (!first) continue;
    const far = plural(await commits.distance(one, sha), "commit");
    const place = `${shortSha(one)}, ${far} before (${plural(runs.length, "run")}${first.gitBranch ? ` of ${first.gitBranch}` : ""})`;
    return `${own}; nearest: ${place}. To store one: devflow eval push <file>`;
  }
  const newest = newestOf(lines);
  const nearest = newest
    ? `; no commit before it has one either; newest: ${runText(newest)}${newest.gitBranch ? ` on ${newest.gitBranch}` : ""}`
    : "";
  return `${own}${nearest}. To store one: devflow eval push <file>`;
}

/** Enough commits to show how steady a case is. */
const mostEarlier = 20;

async function earlierRuns(lines: readonly RunLine[], sha: string, commits: Commits): Promise<RunLine[][]> {
  const found: RunLine[][] = [];
  if (!(await commits.commitOf(sha))) return found;
  for (const one of await commits.ancestors(sha)) {
    if (one === sha) continue;
    const runs = lines.filter(({ gitSha }) => isCommit(gitSha, one));
    if (runs.length > 0) found.push(runs);
    if (found.length === mostEarlier) break;
  }
  return found;
}

async function notesOf(selected: readonly SelectedSuite[], head: string, commits: Commits): Promise<SideNote[]> {
  const ofSuite = async (one: SelectedSuite): Promise<[string, string]> => [
    await sideText(one.a, one.sha, one, head, commits),
    `${shortSha(head)} ${(await commits.about(head))?.subject ?? ""} · ${plural(one.b.length, "run")}`,
  ];
  const texts = await Promise.all(selected.map(ofSuite));
  const isSame = new Set(texts.map((pair) => pair.join("\n"))).size === 1;
  return texts.slice(0, isSame ? 1 : undefined).flatMap(([a, b], at) => {
    const suite = isSame ? null : (selected[at]?.suite ?? null);
    return [
      { side: "A" as const, suite, text: a },
      { side: "B" as const, suite, text: b },
    ];
  });
}

async function sideText(
  runs: readonly RunLine[],
  sha: string | null,
  { b }: SelectedSuite,
  head: string,
  commits: Commits,
) {
  if (sha === null) return "no run on any earlier commit";
  const far = plural(await commits.distance(sha, head), "commit");
  const [newest, baseline] = [newestOf(b), newestOf(runs)];
  const ageMs = newest && baseline ? Date.parse(newest.at) - Date.parse(baseline.at) : 0;
  const age = ageMs > 60_000 ? `, ${span(ageMs)} older` : "";
  return `${shortSha(sha)} ${(await commits.about(sha))?.subject ?? ""} · ${plural(runs.length, "run")}, ${far} before${age}`;
}

/** Without commits: the newest run and the one before it. */
function newestSides(lines: readonly RunLine[], graph: CommitGraph): Sides {
  const newest = [...Map.groupBy(lines, suiteTierKey).values()].flatMap((runs) => newestOf(runs) ?? []);
  const [b] = newest.toSorted((one, other) => (one.at < other.at ? 1 : -1));
  if (!b) return { ...nothing, missing: "No runs are stored. To store one: devflow eval push <file>" };
  const a = predecessorOf(b, lines, graph);
  const about: SideNote[] = [
    { side: "A", suite: null, text: a ? runText(a) : "no earlier run of the same suite, tier and judge" },
    { side: "B", suite: null, text: runText(b) },
  ];
  const lack = a ? null : `There is only one run of ${b.suite} (${b.tier}). To store another: devflow eval push <file>`;
  return { ...nothing, a: a ? [a] : [], b: [b], about, lack };
}

const runText = (line: RunLine): string => `run ${shortRun(line.runId)} of ${line.at.slice(0, 16).replace("T", " ")}`;

interface Lookup {
  readonly commits: Commits | undefined;
}

async function namedSides(lines: readonly RunLine[], a: string, b: string | undefined, lookup: Lookup): Promise<Sides> {
  const older = await runsNamed(lines, a, { ...lookup, mayFallBack: true });
  const newer =
    b === undefined
      ? await defaultNewer(lines, older, lookup)
      : await runsNamed(lines, b, { ...lookup, mayFallBack: false });
  const { runs, missing } = newer;
  if (missing !== null) return { ...nothing, missing };
  const twins = new Set(older.runs.map(runName));
  if (runs.every((run) => twins.has(runName(run)))) {
    const same = `${a} and ${b ?? "HEAD"} are the same ${runs.length === 1 ? "run" : "runs"} (${newer.text})`;
    return { ...nothing, missing: `${same}; there is nothing to compare. To see the runs: devflow eval list` };
  }
  const places = new Set(runs.map(suiteTierKey));
  const common = older.runs.filter((line) => places.has(suiteTierKey(line)));
  const distance =
    older.sha && newer.sha && lookup.commits
      ? await lookup.commits.distance(older.sha, newer.sha).catch(() => null)
      : null;
  return {
    ...nothing,
    a: common.length > 0 ? common : older.runs,
    b: runs,
    about: [
      { side: "A", suite: null, text: `${older.text} · ${plural(older.runs.length, "run")}` },
      { side: "B", suite: null, text: `${newer.text} · ${plural(runs.length, "run")}` },
    ],
    earlier: older.sha && lookup.commits ? await earlierRuns(lines, older.sha, lookup.commits) : [],
    distance,
  };
}

interface NamedRuns {
  readonly runs: readonly RunLine[];
  readonly sha: string | null;
  readonly text: string;
  /** Why there are none. */
  readonly missing: string | null;
}

/** HEAD; outside a repository, the newest run of the baseline's suites that is not part of the baseline. */
async function defaultNewer(lines: readonly RunLine[], older: NamedRuns, { commits }: Lookup): Promise<NamedRuns> {
  const head = await commits?.head();
  if (commits && head) {
    const runs = lines.filter(({ gitSha }) => isCommit(gitSha, head));
    const missing = runs.length > 0 ? null : await missingRun("HEAD", head, lines, commits);
    return { runs, sha: head, text: `${shortSha(head)} (HEAD)`, missing };
  }
  const [places, own] = [new Set(older.runs.map(suiteTierKey)), new Set(older.runs.map(runName))];
  const newest = newestOf(lines.filter((line) => places.has(suiteTierKey(line)) && !own.has(runName(line))));
  if (newest) return { runs: [newest], sha: newest.gitSha, text: runText(newest), missing: null };
  const missing = `There is no other run to compare ${older.text} with. To store one: devflow eval push <file>`;
  return { runs: [], sha: null, text: "no run", missing };
}

interface NamedLookup extends Lookup {
  /** A baseline may come from the nearest earlier commit that has runs. */
  readonly mayFallBack: boolean;
}

/** A run, a commit or branch, or a label. */
async function runsNamed(lines: readonly RunLine[], word: string, lookup: NamedLookup): Promise<NamedRuns> {
  const { commits, mayFallBack } = lookup;
  const run = lines.find((line) => line.runId === word || runName(line) === word);
  const oneRun = (one: RunLine): NamedRuns => ({ runs: [one], sha: one.gitSha, text: runText(one), missing: null });
  if (run) return oneRun(run);
  const sha = await commits?.commitOf(word);
  if (commits && sha) {
    const own = lines.filter(({ gitSha }) => isCommit(gitSha, sha));
    if (own.length > 0) return { runs: own, sha, text: `${shortSha(sha)} (${word})`, missing: null };
    if (!mayFallBack) {
      return { runs: [], sha, text: word, missing: await missingRun(word, sha, lines, commits) };
    }
    for (const one of await commits.ancestors(sha)) {
      const runs = lines.filter(({ gitSha }) => isCommit(gitSha, one));
      if (runs.length === 0) continue;
      const far = plural(await commits.distance(one, sha), "commit");
      return { runs, sha: one, text: `${shortSha(one)}, ${far} before ${word}`, missing: null };
    }
  }
  const named = /^[0-9a-f]{6,64}$/i.test(word)
    ? lines.filter(({ gitSha }) => isCommit(gitSha, word.toLowerCase()))
    : [];
  if (named[0] && new Set(named.map(({ gitSha }) => gitSha)).size === 1) {
    return { runs: named, sha: named[0].gitSha, text: shortSha(named[0].gitSha), missing: null };
  }
  const labelled = lines.filter(({ label, gitBranch }) => label === word || gitBranch === word);
  const newest = newestOf(labelled);
  if (newest) {
    const runs = newest.gitSha === null ? [newest] : labelled.filter(({ gitSha }) => gitSha === newest.gitSha);
    const text = `${word}, newest ${newest.gitSha ? shortSha(newest.gitSha) : "run"}`;
    return { runs, sha: newest.gitSha, text, missing: null };
  }
  // The beginning of a run's id last: a branch "main" is meant before a run "main-7".
  const begun = word.length >= 4 ? lines.filter(({ runId }) => runId.startsWith(word)) : [];
  if (begun.length === 1 && begun[0]) return oneRun(begun[0]);
  if (begun.length > 1) throw severalRuns(word, begun);
  const what = `A run, commit, branch or label "${word}" with runs`;
  throw new DevflowError("not_found", { details: { what, next: "devflow eval list" } });
}

function severalRuns(word: string, runs: readonly RunLine[]): DevflowError {
  const names = runs.slice(0, 10).map(runName);
  const problem = `"${word}" matches several runs: ${names.join(", ")}.`;
  return new DevflowError("conflict", { details: { problem, next: "Name one of them in full" } });
}

function unknownCommit(word: string): DevflowError {
  const problem = `There is no commit or branch "${word}".`;
  return new DevflowError("usage", { details: { problem, next: "git branch --all" } });
}
