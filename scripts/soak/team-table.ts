/**
 * What team sync was seen to survive, as a part of docs/reliability.md. Pure.
 *
 * - `teamTable(seen, commit)` the part: how often each fault was made, and how often nothing was lost and nothing was there twice.
 */
import type { SeenTest } from "./agent-table.ts";
import { headings } from "./page-part.ts";

/** What the test with many clients measured. */
export interface CrowdFigures {
  readonly clients: number;
  readonly records: number;
  readonly restarts: number;
  readonly seconds: number;
  readonly perSecond: number;
  readonly serverMb: number;
}

export interface SeenFaults {
  /** Each test makes its fault this many times. */
  readonly kills: { readonly tests: readonly SeenTest[]; readonly times: number };
  /** One entry per time. */
  readonly faults: readonly SeenTest[];
  readonly crowd: CrowdFigures | undefined;
}

export function teamTable({ kills, faults, crowd }: SeenFaults, commit: string): string {
  const killed = kills.tests
    .filter(({ name }) => / killed at /.test(name))
    .map(({ name, outcome }) => ({
      name: name.replace(/^.*?([^>]* killed at \w+).*$/, "$1").trim(),
      made: kills.times,
      survived: outcome === "passed" ? kills.times : 0,
    }));
  const names = [...new Set(faults.map(({ name }) => name))];
  const others = names.map((name) => {
    const own = faults.filter((one) => one.name === name && one.outcome !== "skipped");
    return { name, made: own.length, survived: own.filter(({ outcome }) => outcome === "passed").length };
  });
  const rows = [...killed, ...others.filter(({ made }) => made > 0)];
  const sum = (of: "made" | "survived") => rows.reduce((total, one) => total + one[of], 0);
  return [
    headings.team,
    "Afterwards, the ids whose `spool()` returned are exactly those on the server, each once and with the same hash, and what was",
    "held back is held back with its reason.",
    "",
    "| fault | times | survived |",
    "| --- | ---: | ---: |",
    ...rows.map(({ name, made, survived }) => `| ${name.replaceAll("|", "\\|")} | ${made} | ${survived} |`),
    "",
    ...(crowd
      ? [
          `${crowd.clients} clients with ${thousands(crowd.records)} records, while the server was killed and started again ${crowd.restarts}`,
          `times: nothing lost, nothing twice. ${crowd.seconds.toFixed(0)} s, ${thousands(crowd.perSecond)} records per second; the server took ${crowd.serverMb.toFixed(0)} MB at most.`,
          "",
        ]
      : []),
    `${thousands(sum("survived"))} of ${thousands(sum("made"))} faults survived, at commit ${commit}.`,
    "",
  ].join("\n");
}

const thousands = (value: number): string => Math.round(value).toLocaleString("en-US");
