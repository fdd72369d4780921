/**
 * Scales, ticks and ranges for charts.
 *
 * - `scaleTo(from, to)` maps a range of numbers to a range of pixels.
 * - `ticksOf(low, high)` a few round numbers within a range.
 * - `rangeOf(values)` the range of an axis: at least `least` wide, so that small differences do not look large, and rounded to
 *   `roundTo`.
 */
export function scaleTo([low, high]: readonly [number, number], [start, end]: readonly [number, number]) {
  const span = high - low || 1;
  return (value: number): number => start + ((value - low) / span) * (end - start);
}

export function ticksOf(low: number, high: number, most = 6): number[] {
  const rough = (high - low) / most;
  if (!(rough > 0)) return [low];
  const size = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((times) => times * size).find((each) => each >= rough) ?? 10 * size;
  const ticks: number[] = [];
  for (let at = Math.ceil(low / step - 1e-9); at * step <= high + step * 1e-9; at += 1) ticks.push(at * step);
  return ticks;
}

export function rangeOf(
  values: readonly number[],
  {
    least,
    within,
    roundTo,
  }: { readonly least: number; readonly within?: readonly [number, number]; readonly roundTo?: number },
): readonly [number, number] {
  const [bottom, top] = within ?? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  const [low, high] = [Math.min(...values), Math.max(...values)];
  if (!Number.isFinite(low)) return within ?? [0, 1];
  const missing = Math.max(0, least - (high - low)) / 2;
  let [from, to] = [low - missing, high + missing];
  if (from < bottom) [from, to] = [bottom, Math.min(top, to + bottom - from)];
  if (to > top) [from, to] = [Math.max(bottom, from - (to - top)), top];
  if (roundTo === undefined) return [from, to];
  return [
    Math.max(bottom, Math.floor(from / roundTo + 1e-9) * roundTo),
    Math.min(top, Math.ceil(to / roundTo - 1e-9) * roundTo),
  ];
}
