/** `devflow eval list`: newest first, from the index alone. */
import type { CommandHandler } from "@devflow/core/command";
import { openStore } from "@devflow/evals/store";
import { textTable } from "../text-table.ts";

interface ListInput {
  readonly label?: string | undefined;
  readonly suite?: string | undefined;
  readonly branch?: string | undefined;
  readonly tier?: string | undefined;
  readonly failed: boolean;
  readonly limit: number;
}

export const list: CommandHandler<ListInput> = async ({ label, suite, branch, tier, failed, limit }, context) => {
  const store = await openStore(context.config().home);
  try {
    const page = store.list({
      failed,
      limit,
      ...(label ? { label } : {}),
      ...(suite ? { suite } : {}),
      ...(branch ? { branch } : {}),
      ...(tier ? { tier } : {}),
    });
    const rows = page.runs.map((run) => [run.runId, run.suite, run.label, `${run.passed}/${run.total}`, run.at]);
    const columns = ["RUN", "SUITE", "LABEL", "PASSED", "AT"].map((title) => ({ title }));
    const none = "No eval runs. Store one: devflow eval push <file>";
    context.output.result(page, rows.length === 0 ? none : textTable(columns, rows));
  } finally {
    store.close();
  }
};
