/** `devflow run list`: newest first. */

import { resolve } from "node:path";
import type { HandlerOf } from "@devflow/core/command";
import { plainLine } from "@devflow/core/plain-text";
import { RunList, type RunSummary } from "@devflow/protocol";
import { fitted } from "../fitted.ts";
import { textTable } from "../text-table.ts";
import type { runListRecord } from "./commands.ts";
import { connectRuns } from "./runs-client.ts";
import { elapsed, money, shortId, stateWord } from "./words.ts";

export const list: HandlerOf<typeof runListRecord> = async ({ state, repo, all }, context) => {
  const client = await connectRuns(context);
  const query = new URLSearchParams({ limit: all ? "200" : "20" });
  if (state) query.set("state", state);
  // A path as typed, or the name of a repository.
  if (repo) query.set("repo", /^[.~/]/.test(repo) ? resolve(context.cwd, repo) : repo);
  const runs: RunSummary[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    if (cursor) query.set("cursor", cursor);
    const page: RunList = await client.get(`/api/runs?${query}`, RunList);
    runs.push(...page.runs);
    cursor = all ? page.cursor : null;
  }
  const none = 'No runs. Start one: devflow run start "what to do"';
  context.output.result({ runs }, runs.length === 0 ? none : table(runs, context.output.columns));
};

function table(runs: readonly RunSummary[], columns: number): string {
  const nowMs = Date.now();
  const rows = runs.map((run) => [
    shortId(run.id),
    stateWord(run),
    run.phase ? `${run.phase.key} ${run.phase.seq}/${run.phase.of}` : "",
    elapsed(run.createdAt, run.endedAt, nowMs),
    money(run.cost.usd).replace("cost unknown", ""),
    plainLine(run.title),
  ]);
  // The width left by the other columns, with two spaces between each.
  const widths =
    rows[0]?.slice(0, -1).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0), 5) + 2) ?? [];
  const room = Math.max(
    20,
    widths.reduce((left, width) => left - width, columns),
  );
  const fittedRows = rows.map((row) => [...row.slice(0, -1), fitted(row.at(-1) ?? "", room)]);
  const columnsOf = [
    { title: "RUN" },
    { title: "STATE" },
    { title: "PHASE" },
    { title: "TIME", align: "right" as const },
    { title: "COST", align: "right" as const },
    { title: "TITLE" },
  ];
  return textTable(columnsOf, fittedRows);
}
