/** Devflow's JSONL: the run on the first line, then one result per line. Reading it back gives exactly what was written. */
import { toFileResult, toFileRun } from "../../results/write-results.ts";
import type { Exporter } from "./exporter.ts";

export const jsonl: Exporter = {
  id: "jsonl",
  title: "Devflow JSONL",
  extension: ".jsonl",
  carried: ["everything"],
  lost: [],
  async *write(run, results) {
    yield `${JSON.stringify(toFileRun(run))}\n`;
    for await (const result of results) yield `${JSON.stringify(toFileResult(result))}\n`;
  },
};
