/**
 * Results as a table for the terminal and for docs/benchmarks.md.
 *
 * - `tableOf(measured)` Markdown that is also readable in a terminal.
 * - `placeInDocument(document, measured, facts)` replaces the benchmark's section, or adds it at the end.
 */
import type { Measured } from "./measure.ts";

export function tableOf({ benchmark, rows, goals }: Measured): string {
  const ours = rows[0]?.summary.median ?? 0;
  const digits = ours < 20 ? 2 : 1;
  const shown = (value: number) => value.toFixed(digits);
  const cells = [
    ["", `median (${benchmark.unit})`, "middle half", "p95", "ours / this", "samples"],
    ...rows.map(({ name, summary }) => [
      name,
      shown(summary.median),
      `${shown(summary.lowerQuartile)} – ${shown(summary.upperQuartile)}`,
      shown(summary.p95),
      summary.median === 0 ? "" : `${(ours / summary.median).toFixed(2)}×`,
      String(summary.count),
    ]),
  ];
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map((row) => (row[column] ?? "").length)));
  const line = (row: readonly string[]) => `| ${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(" | ")} |`;
  const rule = `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`;
  const [head = [], ...body] = cells;
  const verdicts = goals.map(
    ({ text, figure, met }) => `- Goal: ${text}. Measured: ${figure}, ${met ? "met" : "missed"}.`,
  );
  return [line(head), rule, ...body.map(line), ...(verdicts.length > 0 ? ["", ...verdicts] : [])].join("\n");
}

export function placeInDocument(document: string, measured: Measured, facts: string): string {
  const { name, what } = measured.benchmark;
  const [open, close] = [`<!-- bench:${name} -->`, `<!-- /bench:${name} -->`];
  const section = `${open}\n## ${name}\n${what}\n\n${tableOf(measured)}\n\n${facts}\n${close}`;
  const begin = document.indexOf(open);
  const end = document.indexOf(close);
  if (begin >= 0 && end > begin) return document.slice(0, begin) + section + document.slice(end + close.length);
  return `${document.trimEnd()}\n\n${section}\n`;
}

export const emptyDocument = `# Benchmarks
Written by \`npm run bench -- --write\`. Contenders take turns on one machine; "ours / this" is the ratio of the medians, where
ours is the first row. Repeat one with \`npm run bench <name>\`.
`;
