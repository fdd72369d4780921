/** Versions side by side: a newer client restarts an idle server, nobody ever downgrades one. */
export const encounters = ["use", "restart", "warn older client", "warn busy server"] as const;
export type Encounter = (typeof encounters)[number];

export function decideEncounter(ours: string, theirs: string, busy: readonly string[]): Encounter {
  const order = compareVersions(ours, theirs);
  if (order === 0) return "use";
  if (order < 0) return "warn older client";
  return busy.length > 0 ? "warn busy server" : "restart";
}

/** Semantic versions; a pre-release comes before its release. */
export function compareVersions(a: string, b: string): number {
  const [mainA = "", preA] = a.split("-", 2);
  const [mainB = "", preB] = b.split("-", 2);
  const byMain = compareNumbers(mainA.split("."), mainB.split("."));
  if (byMain !== 0) return byMain;
  if (preA === preB) return 0;
  if (preA === undefined) return 1;
  if (preB === undefined) return -1;
  return preA < preB ? -1 : 1;
}

function compareNumbers(a: readonly string[], b: readonly string[]): number {
  for (let index = 0; index < Math.max(a.length, b.length); index++) {
    const difference = Number(a[index] ?? 0) - Number(b[index] ?? 0);
    if (difference !== 0) return Math.sign(difference);
  }
  return 0;
}
