/**
 * `editDistance(a, b)` the smallest number of insertions, deletions and replacements of UTF-16 units that turn one text
 * into the other. Memory is that of the shorter text.
 */
import { CannotCheck } from "./assertion.ts";

const maxWork = 400_000_000;

export function editDistance(a: string, b: string): number {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  if (short.length * long.length > maxWork) {
    throw new CannotCheck(`texts of ${a.length} and ${b.length} characters are too long to compare`);
  }
  let row = Uint32Array.from({ length: short.length + 1 }, (_, index) => index);
  let next = new Uint32Array(short.length + 1);
  for (let i = 1; i <= long.length; i += 1) {
    next[0] = i;
    const unit = long.charCodeAt(i - 1);
    for (let j = 1; j <= short.length; j += 1) {
      const replaced = (row[j - 1] as number) + (short.charCodeAt(j - 1) === unit ? 0 : 1);
      next[j] = Math.min(replaced, (row[j] as number) + 1, (next[j - 1] as number) + 1);
    }
    [row, next] = [next, row];
  }
  return row[short.length] as number;
}
