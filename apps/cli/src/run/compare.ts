/** `devflow run compare`: a fork beside the run that it was forked from. */
import type { HandlerOf } from "@devflow/core/command";
import { plainLine } from "@devflow/core/plain-text";
import { type ComparedRun, RunComparison } from "@devflow/protocol";
import { counted } from "../data/amounts.ts";
import { textTable } from "../text-table.ts";
import type { runCompareRecord } from "./fork-commands.ts";
import { pickRun } from "./pick-run.ts";
import { connectRuns } from "./runs-client.ts";
import { money, shortId } from "./words.ts";

export const compare: HandlerOf<typeof runCompareRecord> = async ({ run: given }, context) => {
  const client = await connectRuns(context);
  const { id } = await pickRun(client, given, "run compare", context);
  const found = await client.get(`/api/runs/${id}/comparison`, RunComparison);
  const { origin, fork, at } = found;
  const row = (name: string, pick: (run: ComparedRun) => string): string[] => [name, pick(origin), pick(fork)];
  const rows = [
    row("state", (one) => one.state.replaceAll("_", " ")),
    ...castRows(origin, fork),
    ...(found.hasOwnInstructions ? [["instructions", "the template's", "its own"]] : []),
    row("cost", (one) => money(one.usd)),
    row("tokens", (one) => String(one.tokens)),
    row("time", (one) => time(one.seconds)),
    row("attempts", (one) => String(one.attempts)),
    row("tests", ({ testsPassed }) => (testsPassed === null ? "none" : testsPassed ? "passed" : "failed")),
    row("open findings", ({ findings }) => `${findings.open} of ${findings.total}, ${findings.blocking} blocking`),
    row("changes", ({ diff }) =>
      diff ? `${counted(diff.files, "file")}, +${diff.insertions} -${diff.deletions}` : "gone",
    ),
  ];
  const titles = ["", shortId(origin.id), `${shortId(fork.id)} (fork)`].map((title) => ({ title }));
  const lines = [
    `From ${plainLine(at)} on:`,
    textTable(titles, rows),
    "",
    ...differences(found),
    `Its changes: devflow run diff ${shortId(id)}`,
  ];
  context.output.result(found, lines.join("\n"));
};

/** Only the roles that differ, or one line that says that none does. */
function castRows(origin: ComparedRun, fork: ComparedRun): string[][] {
  const who = (run: ComparedRun, role: string): string => {
    const found = run.bindings.find((one) => one.role === role);
    return found ? `${found.persona}${found.model === null ? "" : `, ${plainLine(found.model)}`}` : "not bound";
  };
  const roles = [...new Set([...origin.bindings, ...fork.bindings].map((one) => one.role))];
  const changed = roles.filter((role) => who(origin, role) !== who(fork, role));
  if (changed.length === 0) return [["roles", "the same", "the same"]];
  return changed.map((role) => [role, who(origin, role), who(fork, role)]);
}

function differences({ between }: RunComparison): string[] {
  if (between === null) return ["The work of one of them is gone, so it cannot be compared."];
  if (between.length === 0) return ["The work of both is the same."];
  const rows = between
    .slice(0, 20)
    .map(({ path, insertions, deletions }) => [
      `  ${plainLine(path)}`,
      insertions === null ? "binary" : `+${insertions}`,
      deletions === null ? "" : `-${deletions}`,
    ]);
  const table = textTable([{ title: "" }, { title: "", align: "right" }, { title: "", align: "right" }], rows);
  const more = between.length > 20 ? [`  and ${between.length - 20} more`] : [];
  return [`The fork's work differs in ${counted(between.length, "file")}:`, table, ...more];
}

function time(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  return seconds < 3600
    ? `${Math.floor(seconds / 60)} min`
    : `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}
