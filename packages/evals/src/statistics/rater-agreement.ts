/**
 * Agreement of a judge with people: `table[judge][person]` counts, which may be weighted.
 *
 * - `cohenKappa(table, weights)` chance-corrected agreement; null if chance alone always agrees.
 * - `gwetAc1(table)` the same, for a rare class, where kappa breaks down.
 * - `labelsSuffice(table)` at least 30 labels, 10 of the rarer class.
 * - `reweightByVerdict(table, population)` corrects for sampling by the judge's verdict.
 */
export type ConfusionTable = readonly (readonly number[])[];

export function cohenKappa(table: ConfusionTable, weights: "none" | "quadratic" = "none"): number | null {
  const { all, rows, columns } = margins(table);
  if (all === 0) return null;
  let observed = 0;
  let expected = 0;
  for (let i = 0; i < table.length; i++) {
    for (let j = 0; j < table.length; j++) {
      const apart = weights === "none" ? Number(i !== j) : (i - j) ** 2;
      observed += (apart * table[i]![j]!) / all;
      expected += (apart * rows[i]! * columns[j]!) / (all * all);
    }
  }
  return expected === 0 ? null : 1 - observed / expected;
}

export function gwetAc1(table: ConfusionTable): number | null {
  const { all, rows, columns } = margins(table);
  if (all === 0 || table.length < 2) return null;
  const observed = table.reduce((sum, row, i) => sum + row[i]!, 0) / all;
  const chance =
    rows.reduce((sum, row, i) => {
      const share = (row + columns[i]!) / (2 * all);
      return sum + share * (1 - share);
    }, 0) /
    (table.length - 1);
  return (observed - chance) / (1 - chance);
}

export function labelsSuffice(table: ConfusionTable): boolean {
  const { all, columns } = margins(table);
  return all >= 30 && Math.min(...columns) >= 10;
}

/** Scales each judge verdict (row) from its number of labels to its number in the population. */
export function reweightByVerdict(table: ConfusionTable, population: readonly number[]): number[][] {
  const { rows } = margins(table);
  return table.map((row, i) => row.map((count) => (rows[i]! === 0 ? 0 : (count * (population[i] ?? 0)) / rows[i]!)));
}

function margins(table: ConfusionTable) {
  const rows = table.map((row) => row.reduce((sum, count) => sum + count, 0));
  const columns = table.map((_, j) => table.reduce((sum, row) => sum + row[j]!, 0));
  return { rows, columns, all: rows.reduce((sum, count) => sum + count, 0) };
}
