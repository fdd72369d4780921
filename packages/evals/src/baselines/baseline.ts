/**
 * A baseline: what each case is expected to do, per tier, in a Markdown file that is committed with the code.
 *
 * - `baselineOf(runs)` from the stored runs of one suite; runs of one tier are pooled.
 * - `renderBaseline(baseline)` Markdown that merges well: one line per case, sorted by name, no totals, no padding.
 * - `parseBaseline(text)` reads it back, also after a merge that changed the order of the lines.
 */
import { DevflowError } from "@devflow/core/errors";
import { byTier } from "@devflow/protocol/eval-enums";
import type { ResultRow, RunLine } from "../store/index.ts";

export interface BaselineCell {
  readonly passed: number;
  readonly total: number;
  readonly errors: number;
  /** Mean of all scores; null if there are none. */
  readonly score: number | null;
}

export interface BaselineCase {
  readonly name: string;
  /** Eight digits of the input's hash; empty if the name alone identifies the case. */
  readonly input: string;
  readonly tiers: Readonly<Record<string, BaselineCell>>;
}

export interface BaselineTier {
  readonly tier: string;
  readonly runs: readonly string[];
  readonly at: string;
  readonly gitSha: string | null;
  readonly model: string | null;
  readonly usd: number;
}

export interface Baseline {
  readonly suite: string;
  readonly tiers: readonly BaselineTier[];
  readonly cases: readonly BaselineCase[];
}

export interface BaselineRun {
  readonly line: RunLine;
  readonly rows: Iterable<ResultRow>;
}

/** Identifies a case within its suite. */
export const baselineKey = ({ name, input }: { readonly name: string; readonly input: string }): string =>
  `${name}\0${input}`;

export function baselineOf(suite: string, runs: readonly BaselineRun[]): Baseline {
  const cases = new Map<string, { name: string; input: string; cells: Map<string, Cell> }>();
  for (const { line, rows } of runs) {
    for (const row of rows) {
      if (row.status === "skipped") continue;
      const input = row.inputSha?.slice(0, 8) ?? "";
      const key = baselineKey({ name: row.name, input });
      const found = cases.get(key) ?? { name: row.name, input, cells: new Map() };
      cases.set(key, found);
      const cell = found.cells.get(line.tier) ?? new Cell();
      found.cells.set(line.tier, cell);
      cell.add(row);
    }
  }
  return {
    suite,
    tiers: tiersOf(runs),
    cases: [...cases.values()]
      .map(({ name, input, cells }) => ({
        name,
        input,
        tiers: Object.fromEntries([...cells].map(([tier, cell]) => [tier, cell.finish()])),
      }))
      .sort(byName),
  };
}

class Cell {
  #passed = 0;
  #total = 0;
  #errors = 0;
  #scores = 0;
  #scored = 0;

  add(row: ResultRow): void {
    if (row.status === "error") this.#errors += 1;
    else {
      this.#total += 1;
      if (row.status === "pass") this.#passed += 1;
    }
    for (const score of Object.values(row.scores)) {
      this.#scores += score;
      this.#scored += 1;
    }
  }

  finish(): BaselineCell {
    const score = this.#scored === 0 ? null : Math.round((this.#scores / this.#scored) * 1000) / 1000;
    return { passed: this.#passed, total: this.#total, errors: this.#errors, score };
  }
}

function tiersOf(runs: readonly BaselineRun[]): BaselineTier[] {
  const tiers = [...new Set(runs.map(({ line }) => line.tier))].sort(byTier);
  return tiers.map((tier) => {
    const lines = runs.map(({ line }) => line).filter((line) => line.tier === tier);
    const newest = lines.reduce((a, b) => (a.at >= b.at ? a : b));
    return {
      tier,
      runs: lines.map(({ runId }) => runId).sort(),
      at: newest.at,
      gitSha: newest.gitSha,
      model: newest.model,
      usd: lines.reduce((sum, { actualUsd, estimatedUsd }) => sum + actualUsd + estimatedUsd, 0) / lines.length,
    };
  });
}

/** Sorted by code units, so that the order does not depend on the locale. */
const byName = (a: BaselineCase, b: BaselineCase): number =>
  a.name === b.name ? compare(a.input, b.input) : compare(a.name, b.name);
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

export function renderBaseline({ suite, tiers, cases }: Baseline): string {
  const names = tiers.map(({ tier }) => tier);
  const row = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const described = tiers.map(({ tier, runs, at, gitSha, model, usd }) =>
    row([tier, at, gitSha ?? "", written(model ?? ""), `$${usd.toFixed(4)}`, runs.map(written).join(" ")]),
  );
  const lines = cases.map(({ name, input, tiers: cells }) =>
    row([written(name), input, ...names.map((tier) => cellText(cells[tier])), acrossTiers(names, cells)]),
  );
  return [
    `# Eval baseline: ${written(suite)}`,
    "",
    "Written by `devflow eval bless`. A cell is passed/total, then `e` with the errors and the mean score where there are any.",
    "",
    row(["tier", "at", "commit", "model", "cost of a run", "runs"]),
    row(["---", "---", "---", "---", "---", "---"]),
    ...described,
    "",
    row(["case", "input", ...names, "across tiers"]),
    row(["---", "---", ...names.map(() => "---"), "---"]),
    ...lines,
    "",
  ].join("\n");
}

function cellText(cell: BaselineCell | undefined): string {
  if (!cell) return "";
  const errors = cell.errors > 0 ? ` e${cell.errors}` : "";
  return `${cell.passed}/${cell.total}${errors}${cell.score === null ? "" : ` ${cell.score}`}`;
}

/** Names the cheapest tier that does as well as the best, if tiers disagree. */
function acrossTiers(names: readonly string[], cells: Readonly<Record<string, BaselineCell>>): string {
  const rates = names.flatMap((tier) => {
    const cell = cells[tier];
    return cell && cell.total > 0 ? [{ tier, rate: cell.passed / cell.total }] : [];
  });
  if (rates.length < 2) return "";
  const best = Math.max(...rates.map(({ rate }) => rate));
  if (rates.every(({ rate }) => rate === best)) return "same";
  return `${rates.find(({ rate }) => rate === best)?.tier} best`;
}

/** Escapes bars and line breaks, which would end the table cell. */
const written = (text: string): string =>
  text
    .replace(/[\\|]/g, (character) => `\\${character}`)
    .replace(/\r?\n|\r/g, "\\n")
    .replace(/^\s+|\s+$/g, (space) => "\\s".repeat(space.length));

const unwritten = (text: string): string =>
  text.replace(/\\(.)/g, (_, character: string) => ({ n: "\n", s: " " })[character] ?? character);

export function parseBaseline(text: string): Baseline {
  const suite = /^# Eval baseline: (.*)$/m.exec(text)?.[1];
  const tables = tablesOf(text);
  const [tierTable, caseTable] = [
    tables.find(([head]) => head?.[0] === "tier"),
    tables.find(([head]) => head?.[0] === "case"),
  ];
  if (/^(?:<{7}|>{7}|={7})/m.test(text)) throw invalid("it contains merge conflict markers");
  if (suite === undefined || !tierTable || !caseTable) throw invalid("it has no table of tiers or of cases");
  const names = caseTable[0]?.slice(2, -1) ?? [];
  return {
    suite: unwritten(suite),
    tiers: tierTable.slice(1).map(([tier = "", at = "", gitSha = "", model = "", usd = "", runs = ""]) => ({
      tier,
      at,
      gitSha: gitSha || null,
      model: unwritten(model) || null,
      usd: Number(usd.replace("$", "")),
      runs: runs.split(" ").map(unwritten),
    })),
    cases: caseTable
      .slice(1)
      .map(([name = "", input = "", ...cells]) => ({
        name: unwritten(name),
        input,
        tiers: Object.fromEntries(
          names.flatMap((tier, at) => {
            const cell = parseCell(cells[at] ?? "");
            return cell ? [[tier, cell]] : [];
          }),
        ),
      }))
      .sort(byName),
  };
}

function parseCell(text: string): BaselineCell | undefined {
  const match = /^(\d+)\/(\d+)(?: e(\d+))?(?: (-?[\d.e-]+))?$/.exec(text);
  if (!match) return undefined;
  const [, passed, total, errors, score] = match;
  return {
    passed: Number(passed),
    total: Number(total),
    errors: Number(errors ?? 0),
    score: score === undefined ? null : Number(score),
  };
}

/** Each table as its rows, without the line of dashes. */
function tablesOf(text: string): string[][][] {
  const tables: string[][][] = [];
  let current: string[][] | undefined;
  for (const line of text.split(/\r?\n/)) {
    if (!line.startsWith("| ")) {
      current = undefined;
      continue;
    }
    if (!current) {
      current = [];
      tables.push(current);
    }
    const cells = line.slice(2, -2).split(" | ");
    if (!cells.every((cell) => cell === "---")) current.push(cells);
  }
  return tables;
}

function invalid(reason: string): DevflowError {
  const problem = `The baseline file cannot be read: ${reason}.`;
  return new DevflowError("input_invalid", {
    details: { problem, next: "Fix it, or write it again: devflow eval bless" },
  });
}
