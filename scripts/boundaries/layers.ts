/**
 * Who may import whom. The paragraph "Direction" of docs/ARCHITECTURE.md as a table.
 *
 * A unit may import units of lower layers only; whatever else is allowed stands in `alsoAllowed` with its reason.
 */
export const layers: Readonly<Record<string, number>> = {
  "packages/core": 0,
  "packages/git": 1,
  "packages/prices": 1,
  "packages/redact": 1,
  "packages/protocol": 1,
  "packages/db": 1,
  "packages/session": 2,
  "packages/harness": 2,
  "packages/runs": 3,
  "packages/evals": 3,
  "packages/team": 3,
  "packages/brain": 3,
  "packages/browse": 3,
  "packages/skills": 3,
  "apps/server": 4,
  "apps/worker": 4,
  "apps/web": 4,
  "apps/cli": 4,
  // For tests; it drives everything, and only tests import it.
  "packages/testkit": 5,
};

export const systemLayer = 3;

export const alsoAllowed: readonly (readonly [from: string, to: string, why: string])[] = [
  ["packages/db", "packages/redact", "one sanitiser, at the database's edge"],
  ["apps/cli", "apps/server", "the executable composes the server"],
];

/** Units with a short list of their own, narrower than their layer. */
export const onlyThese: Readonly<Record<string, { readonly units: readonly string[]; readonly why: string }>> = {
  "apps/web": { units: ["packages/protocol"], why: "web imports protocol only" },
  "packages/protocol": {
    units: [],
    why: "protocol runs in a browser and imports nothing of Devflow but the files of core that do so too",
  },
};

/** Single files behind a narrow list: from, unit, door. */
export const narrowDoors: readonly (readonly [from: string, unit: string, door: string])[] = [
  ["packages/protocol", "packages/core", "./enums"],
  ["packages/protocol", "packages/core", "./error-report"],
  ["packages/protocol", "packages/core", "./plain-text"],
];

/** Units that only the named ones may use. */
export const usedOnlyBy: Readonly<Record<string, readonly string[]>> = {
  "packages/session": ["packages/runs", "apps/worker"],
  "packages/harness": ["packages/runs", "apps/worker"],
};

/** Folders that must start fast: `core` and built-ins, nothing else. */
export const quickFolders: readonly RegExp[] = [
  /^packages\/browse\/(?:src\/)?client\//,
  /^packages\/skills\/(?:src\/)?hooks\//,
];
