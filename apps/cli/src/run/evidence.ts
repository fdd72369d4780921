/** `devflow run events | diff | report | verify`: what happened, and whether the record is unaltered. */

import type { HandlerOf } from "@devflow/core/command";
import { plainLine, plainText } from "@devflow/core/plain-text";
import { RunDiff, RunEventList, type RunEventView, VerifyAnswer } from "@devflow/protocol";
import { counted } from "../data/amounts.ts";
import { fitted } from "../fitted.ts";
import { textTable } from "../text-table.ts";
import type { runDiffRecord, runEventsRecord, runReportRecord, runVerifyRecord } from "./commands.ts";
import { pickRun } from "./pick-run.ts";
import { connectRuns } from "./runs-client.ts";
import { untilReport } from "./until-report.ts";
import { shortId } from "./words.ts";

export const events: HandlerOf<typeof runEventsRecord> = async ({ run: given, after, limit }, context) => {
  const client = await connectRuns(context);
  const { id } = await pickRun(client, given, "run events", context);
  const found: RunEventView[] = [];
  let next: number | null = after;
  while (next !== null && found.length < limit) {
    const most = Math.min(1000, limit - found.length);
    const page: { events: RunEventView[]; next: number | null } = await client.get(
      `/api/runs/${id}/events?after=${next}&limit=${most}`,
      RunEventList,
    );
    found.push(...page.events);
    next = page.next;
  }
  const rows = found.map((event) => [
    String(event.seq),
    event.at.slice(11, 23),
    event.type,
    event.phase ?? "",
    `${event.actor.kind}/${event.actor.via}`,
    fitted(plainLine(JSON.stringify(event.payload)), Math.max(20, context.output.columns - 75)),
  ]);
  const titles = ["SEQ", "TIME", "TYPE", "PHASE", "BY", "WHAT"].map((title) =>
    title === "SEQ" ? { title, align: "right" as const } : { title },
  );
  const more = next === null ? "" : `\nMore: devflow run events ${shortId(id)} --after ${next}`;
  context.output.result({ events: found, next }, `${textTable(titles, rows)}${more}`);
};

export const diff: HandlerOf<typeof runDiffRecord> = async ({ run: given, stat }, context) => {
  const client = await connectRuns(context);
  const { id } = await pickRun(client, given, "run diff", context);
  const { output } = context;
  const found = await client.get(`/api/runs/${id}/diff`, RunDiff);
  const rows = found.files.map((file) => [
    plainLine(file.path),
    file.isBinary ? "binary" : `+${file.insertions ?? 0}`,
    file.isBinary ? "" : `-${file.deletions ?? 0}`,
  ]);
  const table = textTable([{ title: "" }, { title: "", align: "right" }, { title: "", align: "right" }], rows);
  if (found.isCut) output.note(`Too long to show completely; see the branch ${found.branch}.`);
  // A pipe gets the exact bytes, so that they can be applied; a terminal gets no control sequences.
  const text = output.isTerminal ? plainText(found.text) : found.text;
  output.result(found, found.files.length === 0 ? "No changes." : stat ? table : text);
};

export const report: HandlerOf<typeof runReportRecord> = async ({ run: given }, context) => {
  const client = await connectRuns(context);
  const run = await pickRun(client, given, "run report", context);
  const { id } = run;
  const { output } = context;
  await untilReport(client, run, context);
  if (output.json) {
    output.result(JSON.parse(await client.text(`/api/runs/${id}/report.json`)), "");
    return;
  }
  const text = await client.text(`/api/runs/${id}/report.md`);
  output.result(undefined, output.isTerminal ? plainText(text) : text);
};

export const verify: HandlerOf<typeof runVerifyRecord> = async ({ run: given }, context) => {
  const client = await connectRuns(context);
  const { id } = await pickRun(client, given, "run verify", context);
  const answer = await client.post(`/api/runs/${id}/verify`, {}, VerifyAnswer);
  const rows = answer.checks.map((one) => [one.ok ? "ok  " : "FAIL", one.name, plainLine(one.detail)]);
  const failed = answer.checks.filter((one) => !one.ok).length;
  const end = answer.ok ? "The run matches its log." : `${counted(failed, "check")} failed: do not rely on this run.`;
  context.output.result(answer, `${textTable([{ title: "" }, { title: "" }, { title: "" }], rows)}\n${end}`);
  return answer.ok ? 0 : 1;
};
