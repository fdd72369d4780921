/**
 * The matrix of prompts and models that a run is a cell of: cases × variants.
 *
 * - `matrixView(store, ref, query)` a page of cases with the result of each variant; a run without a matrix is one column.
 */
import type { EvalMatrix } from "@devflow/protocol";
import { variantTitle } from "../compare/index.ts";
import { caseKey } from "../results/identity.ts";
import type { EvalResult } from "../results/result.ts";
import type { EvalStore, ResultRow, RunLine } from "../store/index.ts";
import { lineView, refOf } from "./run-line.ts";
import type { StoredRuns } from "./stored-runs.ts";

export interface MatrixQuery {
  readonly page: number;
  /** Only cases whose variants do not agree. */
  readonly differing: boolean;
}

const [mostVariants, pageSize, mostText] = [12, 20, 600];

export async function matrixView(
  store: EvalStore,
  runs: StoredRuns,
  ref: string,
  query: MatrixQuery,
): Promise<EvalMatrix> {
  const { line } = await store.run(ref);
  const lines = cellsOf(store, line).slice(0, mostVariants);
  const read = await runs.read(lines.map(refOf));
  const cases = new Map<string, { readonly name: string; readonly cells: (ResultRow | undefined)[] }>();
  for (const [column, { rows }] of read.entries()) {
    for (const row of rows) {
      if (row.repeat > 0) continue;
      const key = caseKey(row.name, row.inputSha);
      const own = cases.get(key) ?? { name: row.name, cells: [] };
      own.cells[column] = row;
      cases.set(key, own);
    }
  }
  const all = [...cases].filter(([, { cells }]) => !query.differing || isDiffering(cells, read.length));
  const shown = all.slice(query.page * pageSize, (query.page + 1) * pageSize);
  const texts = read.map(({ read: readTexts }, column) => {
    const ordinals = shown.flatMap(([, { cells }]) => cells[column]?.ordinal ?? []);
    return new Map((readTexts?.(ordinals) ?? []).map((result, at) => [ordinals[at]!, result]));
  });
  return {
    variants: read.map((one) => ({ title: variantTitle(one.line) ?? one.line.runId, run: lineView(one.line) })),
    cases: shown.map(([key, { name, cells }]) => ({
      caseKey: key,
      name: name.slice(0, 300),
      cells: read.map((_, column) => {
        const row = cells[column];
        const result = row && texts[column]?.get(row.ordinal);
        return row && result ? cellView(row, result) : null;
      }),
    })),
    matching: all.length,
    page: query.page,
    pageSize,
  };
}

/** The runs of the same matrix, in the order of their ids. */
function cellsOf(store: EvalStore, line: RunLine): RunLine[] {
  if (line.matrix === null) return [line];
  const { runs } = store.list({ suite: line.suite, tier: line.tier, limit: 1000 });
  return runs
    .filter(({ matrix }) => matrix === line.matrix)
    .toSorted((a, b) => a.runId.localeCompare(b.runId, "en", { numeric: true }));
}

function isDiffering(cells: readonly (ResultRow | undefined)[], columns: number): boolean {
  return new Set(Array.from({ length: columns }, (_, at) => cells[at]?.status)).size > 1;
}

function cellView(row: ResultRow, { output, responsePreview, error, failures }: EvalResult) {
  const response = (output as { response?: unknown } | null)?.response;
  const text = typeof response === "string" ? response : (output ?? responsePreview);
  const shown = typeof text === "string" ? text : text === null ? null : JSON.stringify(text);
  return {
    ordinal: row.ordinal,
    status: row.status,
    output: shown === null ? null : { text: shown.slice(0, mostText), isCut: shown.length > mostText },
    problem: (error ?? failures[0]?.message ?? null)?.slice(0, 300) ?? null,
    scores: Object.fromEntries(Object.entries(row.scores).slice(0, 6)),
  };
}
