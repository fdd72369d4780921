/** The known name nearest to the one typed, if it is near enough to be a typo. */
export function nearest(given: string, known: readonly string[]): string | undefined {
  let best: string | undefined;
  let bestDistance = Number.POSITIVE_INFINITY;
  const limit = Math.max(2, Math.floor(given.length / 3));
  for (const name of known) {
    // A word whose length differs by more cannot be near, and comparing it could take long.
    if (!name.startsWith(given) && Math.abs(name.length - given.length) > limit) continue;
    const distance = name.startsWith(given) && given.length > 1 ? 1 : editDistance(given, name);
    // More mistakes than the name has letters make any short name near.
    if (distance < bestDistance && distance < name.length) {
      best = name;
      bestDistance = distance;
    }
  }
  return bestDistance <= limit ? best : undefined;
}

/** Damerau–Levenshtein with adjacent swaps, the most common typing mistake. */
function editDistance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let value = Math.min(at(rows, i - 1, j) + 1, (row[j - 1] ?? 0) + 1, at(rows, i - 1, j - 1) + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        value = Math.min(value, at(rows, i - 2, j - 2) + 1);
      }
      row.push(value);
    }
    rows.push(row);
  }
  return at(rows, a.length, b.length);
}

function at(rows: number[][], i: number, j: number): number {
  return rows[i]?.[j] ?? 0;
}
