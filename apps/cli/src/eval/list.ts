/** `devflow eval list`: stored runs, newest first, read from the index. */

import type { CommandContext, HandlerOf, InputOf } from "@devflow/core/command";
import { plainLine, shortLine } from "@devflow/core/plain-text";
import type { RunLine, RunPage, SetAsideRun } from "@devflow/evals/store";
import type { EvalTeam } from "@devflow/evals/team";
import { fitted } from "../fitted.ts";
import { type Paint, painter } from "../paint.ts";
import type { FindTeam } from "../team/team.ts";
import { textTable } from "../text-table.ts";
import { sinceOf } from "./since.ts";
import type { evalListRecord } from "./store-commands.ts";
import { evalTeam, withoutTeam } from "./team.ts";
import { given, withStore } from "./with-store.ts";
import { ago, money, passShare, plural, shortRun, shortSha, tallyBar, usd } from "./words.ts";

type ListInput = InputOf<typeof evalListRecord>;

export const listWith =
  (findTeam: FindTeam): HandlerOf<typeof evalListRecord> =>
  async (input, context) => {
    const since = input.since === undefined ? undefined : sinceOf(input.since, Date.now());
    if (input.team) return teamList(await evalTeam(findTeam, context), input, since, context);
    const { label, suite, branch, tier, failed, limit } = input;
    const page = await withStore(context, (store) => ({
      ...store.list({ failed, limit, ...given({ label, suite, branch, tier, since }) }),
      setAside: store.setAside(),
    }));
    for (const text of asideLines(page.setAside)) context.output.note(text);
    context.output.result(page, page.runs.length === 0 ? nothing(page) : table(page, context));
  };

/** A few of them; `devflow doctor` and `--json` tell the rest. */
function asideLines(aside: readonly SetAsideRun[]): string[] {
  if (aside.length === 0) return [];
  const shown = aside.slice(0, 5).map(({ file, reason }) => `  ${file}: ${shortLine(reason, 200)}`);
  const title = `${plural(aside.length, "run file")} cannot be read and ${aside.length === 1 ? "is" : "are"} left out:`;
  return [[title, ...shown, "Next: devflow doctor"].join("\n")];
}

const nothing = ({ matching }: RunPage): string =>
  matching === 0 ? "No eval runs. To store one: devflow eval push <file>" : "No more runs.";

function table({ runs, matching }: RunPage, context: CommandContext): string {
  const paint = painter(context);
  const nowMs = Date.now();
  const narrow = context.output.columns < 100;
  const hasErrors = runs.some(({ errors }) => errors > 0);
  const rows = runs.map((run) => cells(run, { nowMs, paint, narrow, hasErrors }));
  const columns = [
    { title: "RUN" },
    { title: "SUITE" },
    { title: "" },
    { title: "PASSED", align: "right" as const },
    ...(hasErrors ? [{ title: "ERRORS", align: "right" as const }] : []),
    { title: "COST", align: "right" as const },
    { title: "COMMIT" },
    ...(narrow ? [] : [{ title: "LABEL" }]),
    { title: "WHEN", align: "right" as const },
  ];
  const more =
    matching > runs.length
      ? `\n${paint(`${runs.length} of ${matching}; more: --limit ${Math.min(500, matching)}`, "dim")}`
      : "";
  return textTable(columns, rows) + more;
}

interface TableView {
  readonly nowMs: number;
  readonly paint: Paint;
  readonly narrow: boolean;
  /** Errors count neither as passed nor as failed, so they have a column of their own. */
  readonly hasErrors: boolean;
}

function cells(run: RunLine, { nowMs, paint, narrow, hasErrors }: TableView): string[] {
  const tier = `${run.tier === "standard" ? "" : ` ${run.tier}`}${run.isPartial ? " partial" : ""}`;
  return [
    plainLine(shortRun(run.runId, 13)),
    fitted(plainLine(run.suite) + tier, narrow ? 14 : 24),
    tallyBar(run, narrow ? 6 : 10, paint),
    passShare(run),
    ...(hasErrors ? [run.errors > 0 ? paint(String(run.errors), "yellow") : ""] : []),
    narrow ? money(run).replace("unpriced", "?") : money(run),
    fitted(plainLine(shortSha(run.gitSha)), 8),
    ...(narrow ? [] : [fitted(plainLine(run.label), 24)]),
    ago(run.at, nowMs).replace(" ago", ""),
  ];
}

async function teamList(
  team: EvalTeam | undefined,
  input: ListInput,
  since: string | undefined,
  context: CommandContext,
) {
  if (!team) return context.output.result({ team: null, runs: [] }, withoutTeam);
  const runs = (await team.cache.runs(given({ suite: input.suite, since })))
    .toSorted((a, b) => (a.run.at < b.run.at ? 1 : -1))
    .slice(0, input.limit);
  const nowMs = Date.now();
  const rows = runs.map(({ run, pushedBy, usd: cost }) => [
    plainLine(shortRun(run.runId, 13)),
    fitted(plainLine(run.suite), 24),
    passShare(run.totals),
    cost === null ? "" : usd(cost),
    shortSha(run.gitSha),
    fitted(plainLine(pushedBy ?? ""), 24),
    ago(run.at, nowMs),
  ]);
  const columns = ["RUN", "SUITE", "PASSED", "COST", "COMMIT", "WHO", "WHEN"].map((title) => ({ title }));
  context.output.result(
    { team: team.name, runs },
    rows.length === 0 ? "There are no runs of the team here. Fetch them: devflow sync pull" : textTable(columns, rows),
  );
}
