/** Devflow's format: JSON with `all_results` (or `results`), or JSONL whose first line may be the run. Read by `results/`. */
import { readSource } from "../../results/read-results.ts";
import type { ImportedRun } from "../../results/result.ts";
import type { Importer, Reading } from "../importer.ts";

export const devflow: Importer = {
  id: "devflow",
  title: "Devflow JSON and JSONL",
  madeBy: "devflow eval check, devflow eval export --as jsonl, a collector in any language",
  carried: ["everything, including unknown members"],
  lost: [],
  counts: "total, passed, failed, errors and skipped, which are recomputed",
  recognises: (head) =>
    ["schema_version", "all_results", "suite"].some((path) => head.members.has(path)) ||
    (head.members.has("name") && (head.members.has("passed") || head.members.has("status"))) ||
    (head.members.has("results") && /"results"\s*:\s*\[\s*(?:\{\s*"name"|\])/.test(head.text)),
  read,
};

async function* read({ source, options, lenient }: Reading): AsyncGenerator<ImportedRun> {
  const defaults = { nowMs: Date.now(), ...options.defaults };
  const read = await readSource(source, { lenient, defaults });
  const { suite, label, tier, gitSha, gitBranch } = options;
  yield {
    run: {
      ...read.run,
      ...(suite === undefined ? {} : { suite }),
      ...(label === undefined ? {} : { label }),
      ...(tier === undefined ? {} : { tier }),
      ...(gitSha === undefined ? {} : { gitSha }),
      ...(gitBranch === undefined ? {} : { gitBranch }),
    },
    results: read.results,
    losses: [],
    // Read after the last result, when everything that was left out is known.
    get warnings() {
      const left = read.rejected.map(({ path, problem }) => `left out: ${path}: ${problem}`);
      return [...read.warnings, ...left];
    },
  };
}
