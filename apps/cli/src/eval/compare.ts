/**
 * `devflow eval compare`: did it get worse? Exit code 0: no regression; 1: regression; 2: the judges differ, or an argument
 * matches nothing; 3: not enough data, with `--fail-on no-data`; 4: the newer side has no run.
 */

import type { CommandContext, HandlerOf, InputOf } from "@devflow/core/command";
import { DevflowError, errorReport } from "@devflow/core/errors";
import { shortLine } from "@devflow/core/plain-text";
import {
  type ComparedRun,
  type CompareReport,
  compareRuns,
  type EvalGates,
  exitCodeOf,
  type FailOn,
  failOnChoices,
  gateName,
  gateRules,
  openGates,
  readGates,
  renderCompareMarkdown,
  renderCompareText,
  runName,
  storedRows,
} from "@devflow/evals/compare";
import type { EvalStore, RunLine } from "@devflow/evals/store";
import type { EvalTeam } from "@devflow/evals/team";
import { failureBody, failureText } from "../failure-text.ts";
import { isColoured } from "../paint.ts";
import type { FindTeam } from "../team/team.ts";
import { chooseSides, type Sides, type SideWords } from "./choose-sides.ts";
import { openCommits } from "./commits.ts";
import { earlierResults } from "./earlier-results.ts";
import { readQuarantineFile } from "./quarantine-path.ts";
import type { evalCompareRecord } from "./store-commands.ts";
import { evalTeam } from "./team.ts";
import { type TeamRuns, teamRuns } from "./team-runs.ts";
import { collectGarbage, withStore } from "./with-store.ts";

type CompareInput = InputOf<typeof evalCompareRecord>;

export const compareWith =
  (findTeam: FindTeam): HandlerOf<typeof evalCompareRecord> =>
  async (input, context) => {
    try {
      return await compareSides(input, input.team ? await requireTeam(findTeam, context) : undefined, context);
    } catch (error) {
      return refused(error, context);
    }
  };

async function requireTeam(findTeam: FindTeam, context: CommandContext): Promise<EvalTeam> {
  const team = await evalTeam(findTeam, context);
  if (team) return team;
  const next = "Compare the runs of this machine: devflow eval compare";
  throw new DevflowError("no_team", { details: { where: context.cwd, next } });
}

/** The newer side has no run, or both sides are the same: not a verdict, and not a wrong argument. */
const noRunExit = 4;

/** This command has its own exit codes: every user error is 2, so that 1 always means a regression. */
function refused(error: unknown, { output }: CommandContext): number {
  if (!(error instanceof DevflowError) || error.class !== "user") throw error;
  const report = errorReport(error);
  if (output.json) output.result(failureBody(report), "");
  else output.note(failureText(report));
  return 2;
}

async function compareSides(input: CompareInput, team: EvalTeam | undefined, context: CommandContext): Promise<number> {
  const asked = await askedGates(input, context);
  const failOn = checkedFailOn([...input.failOn, ...asked.failOn]);
  const gates = asked.gates.map(gateName);
  const { report, sides } = await withStore(context, async (store) => {
    const more = team && (await teamRuns(team, store));
    const compared = await compareStored(store, input, context, more);
    return more ? { ...compared, sides: withPeople(compared.sides, more) } : compared;
  });
  const open = openGates(report, failOn, gates);
  for (const text of [sides.missing, sides.lack]) if (text !== null) context.output.note(shortLine(text, 600));
  const { columns } = context.output;
  const text = input.markdown
    ? renderCompareMarkdown(report, { diff: input.wordDiff, about: aboutLines(sides) })
    : renderCompareText(report, {
        colour: isColoured(context),
        diff: input.wordDiff,
        about: aboutLines(sides),
        columns,
      });
  const { about, lack, distance, missing } = sides;
  const value = { ...report, selection: { about, lack, missing, distance }, openGates: open };
  context.output.result(value, missing === null ? text : "");
  for (const text of missing === null ? open : []) context.output.note(shortLine(text, 300));
  return missing === null ? exitCodeOf(report, failOn, gates) : noRunExit;
}

/** Whose runs they are, where they are not all of this machine. */
function withPeople(sides: Sides, more: TeamRuns): Sides {
  const noteOf = (side: "A" | "B", lines: readonly RunLine[]) => {
    const people = more.people(lines);
    return people.length === 0 ? [] : [{ side, suite: null, text: `pushed by ${people.join(", ")}` }];
  };
  return { ...sides, about: [...sides.about, ...noteOf("A", sides.a), ...noteOf("B", sides.b)] };
}

export const aboutLines = ({ about }: Sides): string[] =>
  about.map(
    ({ side, suite, text }) => `${side}  ${suite === null ? "" : `${shortLine(suite, 40)}: `}${shortLine(text, 140)}`,
  );

export async function compareStored(
  store: EvalStore,
  input: SideWords & Pick<CompareInput, "mixJudges" | "drop" | "gate"> & Partial<Pick<CompareInput, "sequential">>,
  context: CommandContext,
  more?: TeamRuns,
): Promise<{ readonly report: CompareReport; readonly sides: Sides }> {
  const sides = await chooseSides(store, input, context, more?.lines);
  const theirs = new Set(more?.lines.map(runName));
  const read = async (lines: readonly RunLine[]): Promise<ComparedRun[]> => [
    ...(await storedRows(
      store,
      lines.filter((line) => !theirs.has(runName(line))),
    )),
    ...((await more?.compared(lines)) ?? []),
  ];
  const [a, b] = [await read(sides.a), await read(sides.b)];
  const report = compareRuns(a, b, {
    history: earlierResults(store, sides, await more?.history(sides.earlier.flat())),
    mixJudges: input.mixJudges,
    quarantines: await readQuarantineFile(context),
    distance: sides.distance,
    criteria: gateRules((await askedGates(input, context)).gates),
    rest: collectGarbage,
    sequential: input.sequential === true,
    ...(input.drop === undefined ? {} : { drop: input.drop }),
  });
  return { report, sides };
}

/** The repository's gates and those of the command line. */
async function askedGates({ gate }: Pick<CompareInput, "gate">, context: CommandContext): Promise<EvalGates> {
  const root = (await openCommits(context))?.root ?? context.cwd;
  const { gates, failOn } = await readGates(root);
  const named = new Set(gate.flatMap((word) => word.split(",")));
  return { gates: [...gates.filter((one) => !named.has(gateName(one))), ...named], failOn };
}

function checkedFailOn(words: readonly string[]): readonly FailOn[] {
  const known: readonly string[] = failOnChoices;
  const given = words.flatMap((word) => word.split(","));
  const wrong = given.find((word) => !known.includes(word));
  if (wrong === undefined) return given.length === 0 ? ["regression"] : (given as FailOn[]);
  const problem = `--fail-on does not accept "${wrong}".`;
  throw new DevflowError("usage", { details: { problem, next: `Use one of ${failOnChoices.join(", ")}` } });
}
