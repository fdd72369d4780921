/** The wait before the next try: doubles from one second to thirty, half of it random so that many tabs do not reconnect at once. */
export function backoffMs(attempt: number, random: () => number): number {
  const ceiling = Math.min(30_000, 1_000 * 2 ** Math.min(attempt, 10));
  return Math.round(ceiling / 2 + (ceiling / 2) * random());
}
