/**
 * docs/reliability.md: the crash matrix as it was measured.
 *
 * - `reliabilityPage(paths, cells)` the page. `pointsOnPage(text)` which points it has for each path.
 */
export interface Cell {
  readonly path: string;
  readonly point: string;
  readonly visit: number;
  readonly faults: readonly string[];
}

export function reliabilityPage(paths: readonly string[], cells: readonly Cell[]): string {
  const points = [...new Set(cells.map((one) => one.point))].sort();
  const row = (words: readonly string[]) => `| ${words.join(" | ")} |`;
  const rows = points.map((point) => row([`\`${point}\``, ...paths.map((path) => outcome(cells, path, point))]));
  const faults = cells
    .filter((one) => one.faults.length > 0)
    .map((one) => `- ${one.path}, \`${one.point}\`, visit ${one.visit}: ${one.faults.join("; ").replace(/\s+/g, " ")}`);
  return `${[
    "# Reliability",
    "",
    "The engine is killed (kill -9) at a named place, started again, and left to end its run. Each number is how many such",
    "killings ended exactly like the undisturbed run: the same final state; the same events in the same order, but for",
    "times, ids, hashes and the recovery of sessions; no prompt twice in any agent's own journal; no artifact of another",
    "attempt accepted; `devflow run verify` passes; no agent left behind. A dash: the path does not come by there.",
    "Besides this, `npm test` leads one run of each path through all of its points, killed at every one in turn.",
    "",
    "Made by `npm run soak`.",
    "",
    row(["fault point", ...paths]),
    row(["---", ...paths.map(() => "---:")]),
    ...rows,
    "",
    `${cells.length} killings, ${cells.length - faults.length} as undisturbed.`,
    ...(faults.length > 0 ? ["", "## Not as undisturbed", "", ...faults] : []),
  ].join("\n")}\n`;
}

function outcome(cells: readonly Cell[], path: string, point: string): string {
  const here = cells.filter((one) => one.path === path && one.point === point);
  if (here.length === 0) return "–";
  const same = here.filter((one) => one.faults.length === 0).length;
  return same === here.length ? String(same) : `${same} of ${here.length}`;
}

export function pointsOnPage(text: string): Record<string, string[]> {
  const rows = text
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  const [head = [], , ...body] = rows;
  return Object.fromEntries(
    head.slice(1).map((path, index) => [
      path,
      body
        .filter((cells) => cells[index + 1] !== "–")
        .map((cells) => (cells[0] ?? "").replaceAll("`", ""))
        .sort(),
    ]),
  );
}
