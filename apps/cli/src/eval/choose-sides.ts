/**
 * Chooses the two sides of a comparison.
 *
 * - `chooseSides(store, words, context)` Two words: each is a run, a commit, a branch or a label. One word: that one and HEAD.
 *   None: the commit where HEAD's branch started, and HEAD. Outside a repository: the newest run and the one before it.
 *
 * The result describes what was chosen, how far away the baseline is, and how old it is.
 */
import type { CommandContext, InputOf } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import {
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
  /** Why a side is empty, with the next command to type. */
  readonly lack: string | null;
}

export interface SideNote {
  readonly side: "A" | "B";
  /** Null if it applies to all suites. */
  readonly suite: string | null;
  readonly text: string;
}

export type SideWords = Pick<InputOf<typeof evalCompareRecord>, "a" | "b" | "base" | "suite" | "tier">;

export async function chooseSides(store: EvalStore, words: SideWords, context: CommandContext): Promise<Sides> {
  const commits = await openCommits(context);
  const lines = allLines(store, given({ suite: words.suite, tier: words.tier }));
  if (words.a !== undefined) return namedSides(lines, words.a, words.b, { store, commits });
  if (words.base !== undefined && !(await commits?.commitOf(words.base))) throw unknownCommit(words.base);
  const head = await commits?.head();
  return commits && head ? headSides(lines, head, commits, words.base) : newestSides(lines);
}

async function headSides(lines: readonly RunLine[], head: string, commits: Commits, base?: string): Promise<Sides> {
  const selected = selectSides(lines, { newer: head, older: await commits.older(head, base) });
  if (selected.length === 0) {
    const lack = `No run of ${shortSha(head)} (HEAD) is stored. To store one: devflow eval push <file>`;
    return { a: [], b: [], about: [], earlier: [], distance: null, lack };
  }
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
  };
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
function newestSides(lines: readonly RunLine[]): Sides {
  const newest = [...Map.groupBy(lines, suiteTierKey).values()].flatMap((runs) => newestOf(runs) ?? []);
  const [b] = newest.toSorted((one, other) => (one.at < other.at ? 1 : -1));
  if (!b)
    return {
      a: [],
      b: [],
      about: [],
      earlier: [],
      distance: null,
      lack: "No runs are stored. To store one: devflow eval push <file>",
    };
  const a = predecessorOf(b, lines);
  const about: SideNote[] = [
    { side: "A", suite: null, text: a ? runText(a) : "no earlier run of the same suite, tier and judge" },
    { side: "B", suite: null, text: runText(b) },
  ];
  const lack = a ? null : `There is only one run of ${b.suite} (${b.tier}). To store another: devflow eval push <file>`;
  return { a: a ? [a] : [], b: [b], about, earlier: [], distance: null, lack };
}

const runText = (line: RunLine): string => `run ${shortRun(line.runId)} of ${line.at.slice(0, 16).replace("T", " ")}`;

interface Lookup {
  readonly store: EvalStore;
  readonly commits: Commits | undefined;
}

async function namedSides(lines: readonly RunLine[], a: string, b: string | undefined, lookup: Lookup): Promise<Sides> {
  const newer = b === undefined ? await defaultNewer(lines, lookup) : await runsNamed(lines, b, lookup);
  const older = await runsNamed(lines, a, lookup);
  const places = new Set(newer.runs.map(suiteTierKey));
  const common = older.runs.filter((line) => places.has(suiteTierKey(line)));
  const distance =
    older.sha && newer.sha && lookup.commits
      ? await lookup.commits.distance(older.sha, newer.sha).catch(() => null)
      : null;
  return {
    a: common.length > 0 ? common : older.runs,
    b: newer.runs,
    about: [
      { side: "A", suite: null, text: `${older.text} · ${plural(older.runs.length, "run")}` },
      { side: "B", suite: null, text: `${newer.text} · ${plural(newer.runs.length, "run")}` },
    ],
    earlier: older.sha && lookup.commits ? await earlierRuns(lines, older.sha, lookup.commits) : [],
    distance,
    lack: null,
  };
}

interface NamedRuns {
  readonly runs: readonly RunLine[];
  readonly sha: string | null;
  readonly text: string;
}

async function defaultNewer(lines: readonly RunLine[], { commits }: Lookup): Promise<NamedRuns> {
  const head = await commits?.head();
  const runs = head ? lines.filter(({ gitSha }) => isCommit(gitSha, head)) : [];
  if (head && runs.length > 0) return { runs, sha: head, text: `${shortSha(head)} (HEAD)` };
  const newest = newestOf(lines);
  return { runs: newest ? [newest] : [], sha: null, text: newest ? runText(newest) : "no run" };
}

/** A run, a label, or a commit or branch; for the latter, the nearest commit in its history that has runs. */
async function runsNamed(lines: readonly RunLine[], word: string, { commits, store }: Lookup): Promise<NamedRuns> {
  const run = lines.find((line) => line.runId === word || runName(line) === word);
  const begun = run ? [run] : word.length >= 4 ? lines.filter(({ runId }) => runId.startsWith(word)) : [];
  if (begun.length === 1 && begun[0]) return { runs: begun, sha: begun[0].gitSha, text: runText(begun[0]) };
  const sha = await commits?.commitOf(word);
  if (commits && sha) {
    for (const one of await commits.ancestors(sha)) {
      const runs = lines.filter(({ gitSha }) => isCommit(gitSha, one));
      if (runs.length > 0) return { runs, sha: one, text: `${shortSha(one)} (${word})` };
    }
  }
  const labelled = lines.filter(({ label, gitBranch }) => label === word || gitBranch === word);
  const newest = newestOf(labelled);
  if (newest) {
    const runs = newest.gitSha === null ? [newest] : labelled.filter(({ gitSha }) => gitSha === newest.gitSha);
    return { runs, sha: newest.gitSha, text: `${word}, newest ${newest.gitSha ? shortSha(newest.gitSha) : "run"}` };
  }
  if (begun.length > 1) await store.run(word);
  const what = `A run, commit, branch or label "${word}" with runs`;
  throw new DevflowError("not_found", { details: { what, next: "devflow eval list" } });
}

function unknownCommit(word: string): DevflowError {
  const problem = `There is no commit or branch "${word}".`;
  return new DevflowError("usage", { details: { problem, next: "git branch --all" } });
}
