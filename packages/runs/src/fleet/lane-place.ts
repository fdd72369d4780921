/**
 * Where a lane works.
 *
 * - `lanePlace(tx, run, own, backends)` the machine of its run; for a run that was started for a label, the freest of the machines
 *   that have it. A lane that finds every machine full is queued where the fewest are ahead of it.
 */
import type { Transaction } from "@devflow/db";
import type { RunRow } from "../engine/rows.ts";
import { readHosts } from "./host-repository.ts";
import { hostFor } from "./host-row.ts";
import { mirrorPath } from "./remote-repository.ts";

export interface LanePlace {
  readonly host: string;
  readonly repository: string;
  readonly workspaceRoot: string;
  /** How many runs may be at work there; undefined: as this machine is configured. */
  readonly places?: number;
}

export async function lanePlace(
  tx: Transaction,
  run: RunRow,
  { workspaceRoot }: { readonly workspaceRoot: string },
  backends: readonly string[],
): Promise<LanePlace> {
  const here = { host: run.host, repository: run.repo_path, workspaceRoot };
  if (run.host_label === null || run.remote === null) return here;
  // Lanes of several runs begin at the same moment, and each would see the same machine as the freest.
  await tx`select pg_advisory_xact_lock(hashtextextended(${`devflow:place-lanes:${run.team_id}`}, 0))`;
  const choice = hostFor(await readHosts(tx), {
    ...{ teamId: run.team_id, wanted: run.host_label, repository: run.repo_key, backends },
    prefer: run.host,
  });
  // A machine that takes no new runs finishes its own.
  if (!choice.ok || choice.host.host === run.host) return here;
  const { host, workspace_root: there, places } = choice.host;
  return { host, repository: mirrorPath(there, run.repo_key), workspaceRoot: there, places };
}
