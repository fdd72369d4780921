/**
 * Which unit may import which: the section "Import direction" of docs/ARCHITECTURE.md as a table.
 *
 * A unit may import only units of lower layers; exceptions are in `alsoAllowed` with their reason.
 */
export const layers: Readonly<Record<string, number>> = {
  "packages/core": 0,
  "packages/git": 1,
  "packages/json-schema": 1,
  "packages/prices": 1,
  "packages/redact": 1,
  "packages/protocol": 1,
  "packages/db": 1,
  "packages/session": 2,
  "packages/harness": 2,
  "packages/forge": 2,
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
  ["packages/db", "packages/redact", "one sanitizer, before the database"],
  ["apps/cli", "apps/server", "the executable composes the server"],
];

/** Units with their own list, narrower than their layer. */
export const onlyThese: Readonly<Record<string, { readonly units: readonly string[]; readonly why: string }>> = {
  "apps/web": { units: ["packages/protocol"], why: "web imports only protocol" },
  "packages/protocol": {
    units: [],
    why: "protocol runs in a browser and imports only the files of core that do too",
  },
};

/** Single files that a narrow list allows: from, unit, entry point. */
export const narrowEntryPoints: readonly (readonly [from: string, unit: string, entryPoint: string])[] = [
  ["packages/protocol", "packages/core", "./enums"],
  ["packages/protocol", "packages/core", "./error-report"],
  ["packages/protocol", "packages/core", "./plain-text"],
  ["packages/protocol", "packages/core", "./short-id"],
];

/** Units that only the named ones may use. */
export const usedOnlyBy: Readonly<Record<string, readonly string[]>> = {
  "packages/session": ["packages/runs", "apps/worker"],
  "packages/harness": ["packages/runs", "apps/worker"],
};

/** Folders that must start fast: only `core` and built-ins. */
export const quickFolders: readonly RegExp[] = [
  /^packages\/brain\/(?:src\/)?(?:agents|presence)\//,
  /^packages\/browse\/(?:src\/)?client\//,
  /^packages\/skills\/(?:src\/)?hooks\//,
  /^packages\/team\/(?:src\/)?spool\//,
];
