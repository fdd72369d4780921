/** `devflow eval show <run> [case]`: one run, or one case of it with its output and history. */
import type { CommandContext, HandlerOf, InputOf } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { runName } from "@devflow/evals/compare";
import type { EvalStore, PageRow, RunLine, StoredRun } from "@devflow/evals/store";
import { runOf } from "./pick-runs.ts";
import { caseText } from "./show-case.ts";
import { runText } from "./show-run.ts";
import type { evalShowRecord } from "./store-commands.ts";
import { withStore } from "./with-store.ts";

type ShowInput = InputOf<typeof evalShowRecord>;

export const show: HandlerOf<typeof evalShowRecord> = async (input, context) =>
  withStore(context, async (store) => {
    const stored = await runOf(store, input.run);
    if (input.case === undefined) await showRun(store, stored, input, context);
    else await showCase(store, stored.line, input.case, context);
  });

async function showRun(store: EvalStore, stored: StoredRun, { failed, limit }: ShowInput, context: CommandContext) {
  const page = await store.results(runName(stored.line), {
    pageSize: limit,
    filter: failed || !context.output.json ? { status: ["fail", "error"] } : {},
  });
  const { record, line } = stored;
  const { run, summary, losses, warnings, superseded } = record;
  const value = { run: line, about: run, summary, losses, warnings, superseded, results: page };
  context.output.result(value, runText(stored, page, context));
}

/** Repeats shown of one case in one run; an export has all of them. */
const mostRepeats = 20;

async function showCase(store: EvalStore, line: RunLine, word: string, context: CommandContext) {
  const rows = await rowsOf(store, line, word);
  const { suite, tier } = line;
  const history = store.history({ suite, case: rows[0]?.caseKey ?? word, tier, limit: 100_000 });
  const shown = rows.slice(0, mostRepeats);
  const results = await Promise.all(shown.map(({ ordinal }) => store.result(runName(line), ordinal)));
  context.output.result(
    { run: line, results, history: history.slice(0, 500) },
    caseText(line, results, history, context),
  );
}

/** Finds a case by its key, its full name, or a part of the name that only one case has. */
async function rowsOf(store: EvalStore, line: RunLine, word: string): Promise<readonly PageRow[]> {
  const { rows } = await store.results(runName(line), { pageSize: 500, filter: { name: word } });
  const exact = rows.filter(({ name, caseKey }) => name === word || caseKey === word);
  const found = exact.length > 0 ? exact : rows;
  const cases = [...new Set(found.map(({ caseKey }) => caseKey))];
  if (cases.length === 1) return found;
  const next = `devflow eval show ${runName(line)}`;
  if (cases.length === 0) {
    throw new DevflowError("not_found", { details: { what: `A case called "${word}" in this run`, next } });
  }
  const names = found.slice(0, 8).map(({ name, caseKey }) => `  ${caseKey}  ${name}`);
  const problem = `"${word}" matches ${cases.length} cases:\n${names.join("\n")}`;
  throw new DevflowError("conflict", { details: { problem, next: `Choose one by its key: ${next} <key>` } });
}
