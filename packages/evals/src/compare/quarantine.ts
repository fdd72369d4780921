/**
 * A quarantine: a flaky case that is left out of comparisons for a while.
 *
 * - `isQuarantined(quarantines, case, runAt)` true only if the quarantine is older than the run and has not expired, so that a
 *   failure cannot be excused after the fact.
 */
export interface Quarantine {
  readonly suite: string;
  readonly name: string;
  readonly owner: string;
  /** ISO, UTC. */
  readonly decidedAt: string;
  readonly expiresAt: string;
  readonly reason?: string;
}

export function isQuarantined(
  quarantines: readonly Quarantine[],
  which: { readonly suite: string; readonly name: string },
  runAt: string,
): boolean {
  return quarantines.some(
    ({ suite, name, decidedAt, expiresAt }) =>
      suite === which.suite &&
      name === which.name &&
      Date.parse(decidedAt) < Date.parse(runAt) &&
      Date.parse(runAt) < Date.parse(expiresAt),
  );
}
