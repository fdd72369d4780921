/**
 * A run goes on on another machine, from the last commit that it pushed.
 *
 * - `moveRun(fact, to, why)` inside the transaction that decides it: the row names the new machine, its sessions are no longer
 *   the run's, and the next driver begins with a higher epoch.
 * - `otherHost(fact, wanted)` the machine it can go to; throws when there is none.
 */
import { basename, join } from "node:path";
import { isTerminalSession } from "@devflow/core/enums";
import { DevflowError } from "@devflow/core/errors";
import { shortId } from "@devflow/core/short-id";
import { worktreePath } from "@devflow/harness";
import type { RunFact } from "../engine/fact.ts";
import { moveSession, sessionsOf } from "../sessions/session-repository.ts";
import { readHosts } from "./host-repository.ts";
import { type HostRow, hostFor } from "./host-row.ts";
import { mirrorPath } from "./remote-repository.ts";

export async function otherHost({ tx, run }: RunFact): Promise<HostRow> {
  const hosts = await readHosts(tx);
  const own = hosts.find((one) => one.host === run.host);
  // It came back meanwhile, with everything it had.
  if (own?.state === "present") return own;
  if (run.remote === null) {
    throw conflict(
      `The repository of run ${shortId(run.id)} is a folder of ${run.host}, which does not answer.`,
      `Start that machine's worker again, or take the run over with another clone: devflow run adopt ${shortId(run.id)} --from ${run.host}`,
    );
  }
  const bound = await tx<{ backend: string }[]>`select distinct backend from app.run_bindings where run_id = ${run.id}`;
  const choice = hostFor(hosts, {
    teamId: run.team_id,
    repository: run.repo_key,
    wanted: run.host_label ?? undefined,
    backends: bound.map((one) => one.backend),
    except: run.host,
  });
  if (choice.ok) return choice.host;
  throw conflict(`No other machine can take run ${shortId(run.id)}: ${choice.reason}.`, "See them: devflow fleet list");
}

export async function moveRun(fact: RunFact, to: HostRow, why: string): Promise<void> {
  const { tx, run } = fact;
  if (run.host === to.host) return;
  const folder = join(to.workspace_root, run.id);
  for (const session of await sessionsOf(tx, run.id))
    if (!isTerminalSession(session.state)) await moveSession(fact, session, "disposed");
  await tx`
    update app.runs set host = ${to.host}, repo_path = ${mirrorPath(to.workspace_root, run.repo_key)},
      folder = ${folder}, worktree_root = ${worktreePath(to.workspace_root, run.root_run_id, basename(run.worktree_root))},
      incarnation = incarnation + 1, driver_epoch = driver_epoch + 1
    where id = ${run.id}`;
  // Written out again there, from the rows.
  await tx`update app.artifacts set path = replace(path, ${run.folder}::text, ${folder}::text) where run_id = ${run.id}`;
  // The mirror of the new machine is another .git.
  await tx`update app.run_phases set git_state = null where run_id = ${run.id}`;
  fact.emit({
    type: "run.moved",
    key: `run.moved:${run.id}:${run.incarnation + 1}`,
    payload: { from: run.host, to: to.host, reason: why },
  });
  fact.touch();
}

const conflict = (problem: string, next: string): DevflowError =>
  new DevflowError("conflict", { details: { problem, next } });
