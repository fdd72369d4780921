/** Compares versions: a newer client restarts an idle server; a server is never downgraded. */
import { compareVersions } from "@devflow/core/version-order";

export const encounters = ["use", "restart", "warn older client", "warn busy server"] as const;
export type Encounter = (typeof encounters)[number];

export function decideEncounter(ours: string, theirs: string, busy: readonly string[]): Encounter {
  const order = compareVersions(ours, theirs);
  if (order === 0) return "use";
  if (order < 0) return "warn older client";
  return busy.length > 0 ? "warn busy server" : "restart";
}
