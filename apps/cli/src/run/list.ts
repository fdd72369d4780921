/** `devflow run list`: newest first. */

import { resolve } from "node:path";
import type { HandlerOf } from "@devflow/core/command";
import { plainLine } from "@devflow/core/plain-text";
import { RunList, type RunSummary } from "@devflow/protocol";
import { fitted } from "../fitted.ts";
import { type Column, textTable } from "../text-table.ts";
import type { runListRecord } from "./commands.ts";
import { connectRuns } from "./runs-client.ts";
import { elapsed, money, shortId, stateWord } from "./words.ts";

export const list: HandlerOf<typeof runListRecord> = async ({ state, repo, all, lanes }, context) => {
  const client = await connectRuns(context);
  const query = new URLSearchParams({ limit: all ? "200" : "20" });
  if (state) query.set("state", state);
  if (lanes) query.set("lanes", "true");
  // A path as typed, or the name of a repository.
  if (repo) query.set("repo", /^[.~/]/.test(repo) ? resolve(context.cwd, repo) : repo);
  const runs: RunSummary[] = [];
  let total = 0;
  for (let cursor: string | null = ""; cursor !== null; ) {
    if (cursor) query.set("cursor", cursor);
    const page: RunList = await client.get(`/api/runs?${query}`, RunList);
    runs.push(...page.runs);
    total = page.total;
    cursor = all ? page.cursor : null;
  }
  const none = 'No runs. Start one: devflow run start "what to do"';
  // A pipe has no width.
  const { isTerminal, columns } = context.output;
  const more = total > runs.length ? `\n… and ${total - runs.length} more: devflow run list --all` : "";
  const text = runs.length === 0 ? none : table(runs, isTerminal ? columns : Number.POSITIVE_INFINITY) + more;
  context.output.result({ runs, total }, text);
};

/** What it cost so far; where a price is not known, the tokens. */
function usage({ cost: { usd, inputTokens, outputTokens } }: RunSummary): string {
  if (usd !== null) return usd > 0 ? money(usd) : "";
  const used = inputTokens + outputTokens;
  return used === 0 ? "" : used < 1000 ? `${used} tokens` : `${(used / 1000).toFixed(1)}k tokens`;
}

function table(runs: readonly RunSummary[], columns: number): string {
  const nowMs = Date.now();
  const cells: readonly (readonly [Column, (run: RunSummary) => string])[] = [
    [{ title: "RUN" }, (run) => shortId(run.id)],
    [{ title: "STATE" }, (run) => stateWord(run)],
    [{ title: "LANE" }, (run) => (run.parent ? `${run.parent.lane} of ${shortId(run.parent.runId)}` : "")],
    [{ title: "PHASE" }, (run) => (run.phase ? `${run.phase.key} ${run.phase.seq}/${run.phase.of}` : "")],
    [{ title: "TIME", align: "right" }, (run) => elapsed(run.createdAt, run.endedAt, nowMs)],
    [{ title: "COST", align: "right" }, (run) => usage(run)],
  ];
  // The title gets the room of columns that nothing is in.
  const used = cells.filter(([, cell]) => runs.some((run) => cell(run) !== ""));
  const widths = used.map(([{ title }, cell]) => Math.max(title.length, ...runs.map((run) => cell(run).length)) + 2);
  const room = Math.max(
    30,
    widths.reduce((left, width) => left - width, columns),
  );
  return textTable(
    [...used.map(([column]) => column), { title: "TITLE" }],
    runs.map((run) => [...used.map(([, cell]) => cell(run)), fitted(plainLine(run.title), room)]),
  );
}
