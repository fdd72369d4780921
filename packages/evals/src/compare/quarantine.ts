/**
 * A case that is known to waver, excused for a while.
 *
 * - `isExcused(quarantines, case, runAt)` only by a decision that is older than the run and has not run out: nobody
 *   excuses a failure after seeing it.
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

export function isExcused(
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
