/** How long to wait before the next try: doubling from one second to thirty, the upper half of it by chance, so that many tabs do not return at once. */
export function backoffMs(attempt: number, random: () => number): number {
  const ceiling = Math.min(30_000, 1_000 * 2 ** Math.min(attempt, 10));
  return Math.round(ceiling / 2 + (ceiling / 2) * random());
}
