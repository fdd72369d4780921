/**
 * The cost of a run as one HTML file without scripts. It loads nothing, and its content security policy forbids it.
 *
 * - `costPage(view, run)`.
 */
import { createHash } from "node:crypto";
import type { EvalRun } from "../results/result.ts";
import { type CostView, costWords, notesOf, whole } from "./cost-dashboard.ts";

const style = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; }
th, td { padding: .4rem .6rem; text-align: right; border-bottom: 1px solid color-mix(in srgb, currentColor 20%, transparent); font-variant-numeric: tabular-nums; }
th:first-child, td:first-child { text-align: left; overflow-wrap: anywhere; }
tfoot td { font-weight: 600; }
p { color: color-mix(in srgb, currentColor 75%, transparent); }
`;

export function costPage(view: CostView, run: Pick<EvalRun, "suite" | "label" | "at">): string {
  const { cost, otherTiers, tier } = view;
  const policy = `default-src 'none'; style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`;
  const row = (cells: readonly string[], element: "td" | "th" = "td") =>
    `<tr>${cells.map((cell) => `<${element}>${escaped(cell)}</${element}>`).join("")}</tr>`;
  const sum = (pick: (model: (typeof cost.models)[number]) => number) =>
    whole(cost.models.reduce((total, model) => total + pick(model), 0));
  const models = cost.models.map((model) =>
    row([
      model.model,
      whole(model.calls),
      whole(model.inputTokens),
      whole(model.cacheReadTokens),
      whole(model.outputTokens),
      costWords(model),
    ]),
  );
  const total = [
    "Total",
    sum(({ calls }) => calls),
    sum(({ inputTokens }) => inputTokens),
    sum(({ cacheReadTokens }) => cacheReadTokens),
    sum(({ outputTokens }) => outputTokens),
    costWords(cost),
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Cost of ${escaped(run.suite)}</title>
<style>${style}</style>
</head>
<body>
<h1>Cost of ${escaped(run.suite)}</h1>
<p>${escaped(run.label)}, ${escaped(tier)} tier, ${escaped(run.at.slice(0, 16).replace("T", " "))} UTC. A ~ marks an estimate.</p>
<table>
<thead>${row(["Model", "Calls", "Input tokens", "of which cached", "Output tokens", "Cost"], "th")}</thead>
<tbody>
${models.join("\n")}
</tbody>
<tfoot>${row(total)}</tfoot>
</table>
${notesOf(cost, otherTiers)
  .map((note) => `<p>${escaped(note)}</p>`)
  .join("\n")}
</body>
</html>
`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
