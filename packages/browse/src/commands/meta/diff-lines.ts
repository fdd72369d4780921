/**
 * How two lists of lines differ.
 *
 * - `diffLines(before, after)` every line with ` `, `-` or `+`, in order; the longest common part stays.
 */
export interface LineChange {
  readonly sign: " " | "-" | "+";
  readonly line: string;
}

/** The table has one cell for each pair of lines; beyond this the rest counts as replaced. */
const mostCells = 4_000_000;

export function diffLines(before: readonly string[], after: readonly string[]): LineChange[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  const most = Math.min(before.length, after.length) - start;
  while (end < most && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  const same = (lines: readonly string[]) => lines.map((line): LineChange => ({ sign: " ", line }));
  return [
    ...same(before.slice(0, start)),
    ...diffMiddle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...same(before.slice(before.length - end)),
  ];
}

function diffMiddle(before: readonly string[], after: readonly string[]): LineChange[] {
  const removed = (lines: readonly string[]) => lines.map((line): LineChange => ({ sign: "-", line }));
  const added = (lines: readonly string[]) => lines.map((line): LineChange => ({ sign: "+", line }));
  if (before.length * after.length > mostCells) return [...removed(before), ...added(after)];
  const width = after.length + 1;
  const longest = new Uint32Array((before.length + 1) * width);
  const at = (row: number, column: number) => longest[row * width + column] ?? 0;
  for (let row = before.length - 1; row >= 0; row--) {
    for (let column = after.length - 1; column >= 0; column--) {
      longest[row * width + column] =
        before[row] === after[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const changes: LineChange[] = [];
  let [row, column] = [0, 0];
  while (row < before.length && column < after.length) {
    if (before[row] === after[column]) {
      changes.push({ sign: " ", line: before[row] ?? "" });
      row++;
      column++;
    } else if (at(row + 1, column) >= at(row, column + 1)) changes.push({ sign: "-", line: before[row++] ?? "" });
    else changes.push({ sign: "+", line: after[column++] ?? "" });
  }
  return [...changes, ...removed(before.slice(row)), ...added(after.slice(column))];
}
