/**
 * A machine that is drained gives its runs away, each before its next phase begins.
 *
 * - `handOver(driver, runId)` the machine that has the run now; undefined when it is in the middle of a phase, when no other
 *   machine can take it, or when its repository is a folder of this one.
 */
import { bestEffort } from "@devflow/core/best-effort";
import { changeAsDriver, type DriverContext, driverCall } from "../engine/context.ts";
import { nextStep } from "../engine/next-step.ts";
import { loadSnapshot } from "../engine/snapshot.ts";
import { adapterFor } from "../sessions/session-adapters.ts";
import { sessionsOf } from "../sessions/session-repository.ts";
import { readHosts } from "./host-repository.ts";
import { hostFor } from "./host-row.ts";
import { moveRun } from "./move-run.ts";

const boundaries: ReadonlySet<string> = new Set(["lock_bindings", "start_phase"]);

export async function handOver(driver: DriverContext, runId: string): Promise<string | undefined> {
  const outcome = await changeAsDriver(driver, runId, async (fact) => {
    const { tx, run } = fact;
    if (run.remote === null) return undefined;
    const snapshot = await loadSnapshot(tx, runId);
    if (!snapshot || !boundaries.has(nextStep(snapshot, driver.clock.now()).kind)) return undefined;
    const choice = hostFor(await readHosts(tx), {
      teamId: run.team_id,
      repository: run.repo_key,
      wanted: run.host_label ?? undefined,
      backends: [...new Set(snapshot.bindings.map((one) => one.backend))],
      except: run.host,
    });
    if (!choice.ok) return undefined;
    const sessions = await sessionsOf(tx, runId);
    await moveRun(fact, choice.host, "its machine takes no more runs");
    return { host: choice.host.host, sessions };
  });
  if (!outcome) return undefined;
  for (const session of outcome.sessions)
    await bestEffort("end an agent whose run was handed over", driver.log, () =>
      adapterFor(driver, session).dispose(session.handle, driverCall(driver)),
    );
  return outcome.host;
}
