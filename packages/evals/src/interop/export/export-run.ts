/**
 * `exportRun(run, results, as)` the file in another tool's format, as a stream. The run's totals are written as given; its results
 * are read once.
 */

import { refuse } from "../../results/refuse.ts";
import type { EvalRun } from "../../results/result.ts";
import { csvExport } from "./csv.ts";
import type { Exporter, Results } from "./exporter.ts";
import { inspectExport } from "./inspect.ts";
import { jsonl } from "./jsonl.ts";
import { junitExport } from "./junit.ts";
import { markdownExport } from "./markdown.ts";
import { otlpExport } from "./otlp.ts";
import { promptfooExport } from "./promptfoo.ts";

export const exporters: readonly Exporter[] = [
  junitExport,
  csvExport,
  jsonl,
  promptfooExport,
  inspectExport,
  otlpExport,
  markdownExport,
];

export function exporterNamed(id: string): Exporter {
  const found = exporters.find((exporter) => exporter.id === id);
  if (found !== undefined) return found;
  throw refuse(`Unknown export format "${id}".`, `Formats: ${exporters.map((exporter) => exporter.id).join(", ")}`);
}

export function exportRun(run: EvalRun, results: Results, as: string): AsyncIterable<string> {
  return exporterNamed(as).write(run, results);
}
