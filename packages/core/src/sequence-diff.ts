/**
 * The differences between two lists of words or lines.
 *
 * - `sequenceDiff(before, after)` every item in order, as `same`, `removed` or `added`; the longest common part stays. Beyond four
 *   million pairs of items, the differing part is reported as replaced.
 *
 * Compared with the `diff` package (9.0.0, on Bun): that is faster when few items differ, and 20 to 45 times slower for two texts with
 * little in common, such as answers of a model.
 */
export interface SequenceChange {
  readonly kind: "same" | "removed" | "added";
  readonly item: string;
}

/** One table cell for each pair of items that differ: 8 MB at most. */
const mostCells = 4_000_000;

export function sequenceDiff(before: readonly string[], after: readonly string[]): SequenceChange[] {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start++;
  let end = 0;
  while (end < most - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  return [
    ...told("same", before.slice(0, start)),
    ...middle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...told("same", before.slice(before.length - end)),
  ];
}

/** The longest common subsequence, walked from the start. */
function middle(before: readonly string[], after: readonly string[]): SequenceChange[] {
  if (before.length * after.length > mostCells) return [...told("removed", before), ...told("added", after)];
  const width = after.length + 1;
  // No common part is longer than the shorter list, which has at most 2,000 items.
  const common = new Uint16Array((before.length + 1) * width);
  for (let row = before.length - 1; row >= 0; row--) {
    for (let column = after.length - 1; column >= 0; column--) {
      const at = row * width + column;
      common[at] =
        before[row] === after[column] ? common[at + width + 1]! + 1 : Math.max(common[at + width]!, common[at + 1]!);
    }
  }
  const changes: SequenceChange[] = [];
  let [row, column] = [0, 0];
  while (row < before.length && column < after.length) {
    const at = row * width + column;
    if (before[row] === after[column]) {
      changes.push({ kind: "same", item: before[row++]! });
      column++;
    } else if (common[at + width]! >= common[at + 1]!) changes.push({ kind: "removed", item: before[row++]! });
    else changes.push({ kind: "added", item: after[column++]! });
  }
  return [...changes, ...told("removed", before.slice(row)), ...told("added", after.slice(column))];
}

function told(kind: SequenceChange["kind"], items: readonly string[]): SequenceChange[] {
  return items.map((item) => ({ kind, item }));
}
