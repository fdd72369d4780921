/**
 * The results of a suite that is running, for whoever watches it: a partial, as of the workers of `eval check`.
 *
 * - `suitePartial(folder, facts, now)` `add(result)` adds one; `finish()` the suite has ended; `flush()` it was stopped.
 *
 * If the process is killed, the partial stays: `eval push --partials` stores it under the ids that the whole run would have had.
 */
import { rm } from "node:fs/promises";
import { type PartialFacts, partialFile } from "../check/index.ts";
import { variantTitle } from "../compare/index.ts";
import { promptfooResult, Repeats, variantsOf } from "../interop/index.ts";
import { toFileResult } from "../results/write-results.ts";
import type { SuiteColumn } from "./plan-suite.ts";
import type { SuiteResult } from "./suite-result.ts";

export interface SuitePartialFacts extends Omit<PartialFacts, "asked"> {
  readonly columns: readonly SuiteColumn[];
  readonly journal: string;
}

export interface SuitePartial {
  add(result: SuiteResult): void;
  finish(): Promise<void>;
  flush(): Promise<void>;
  remove(): Promise<void>;
}

const firstAfterMs = 300;

export function suitePartial(
  folder: string,
  { columns, journal, ...facts }: SuitePartialFacts,
  now: () => number,
): SuitePartial {
  const variants = variantsOf(columns.map(({ prompt }) => ({ prompt: prompt.label, raw: prompt.raw })));
  const cells = columns.map(({ provider, promptIdx }, at) => {
    const named = { model: provider.id, provider: null, variant: variants[at] ?? null };
    // As the importer names the runs of a file.
    const runId = columns.length === 1 ? facts.run_id : `${facts.run_id}#${promptIdx}`;
    return { run_id: runId, title: variantTitle(named) ?? provider.id, ...named };
  });
  const asked = { cells, max_usd: null, journal };
  const partial = partialFile(folder, { ...facts, asked }, now, { firstAfterMs });
  const repeats = cells.map(() => new Repeats());
  let problem: unknown;
  return {
    add(result) {
      const { promptIdx: cell } = result;
      const made = toFileResult(promptfooResult(result as unknown as Record<string, unknown>, repeats[cell]!));
      const variant = cells.length > 1 ? { variant: cells[cell]?.title } : {};
      partial.add({ ...made, cell, ...variant }).catch((error: unknown) => {
        problem ??= error;
      });
    },
    async finish() {
      if (problem !== undefined) throw problem;
      await partial.finish();
    },
    flush: () => partial.flush(),
    remove: () => rm(partial.path, { force: true }),
  };
}
