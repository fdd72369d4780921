/** What a lane does because of its parent: it pauses, goes on and ends with it. */
import { changeAt, type DriverContext } from "../engine/context.ts";
import { pauseIn, resumeIn } from "../engine/control-run.ts";
import { endRun } from "../engine/end-run.ts";
import type { Snapshot } from "../engine/snapshot.ts";

export async function pauseLane(
  context: DriverContext,
  snapshot: Snapshot,
  { cause, hard }: { readonly cause: string; readonly hard: boolean },
): Promise<void> {
  await changeAt(context, snapshot, (fact) => pauseIn(fact, cause, hard));
}

export async function resumeLane(context: DriverContext, snapshot: Snapshot, cause: string): Promise<void> {
  await changeAt(context, snapshot, (fact) => resumeIn(fact, cause));
}

export async function abortLane(context: DriverContext, snapshot: Snapshot): Promise<void> {
  const reason = `its parent ${snapshot.parent?.state === "aborted" ? "was aborted" : "has ended"}`;
  await changeAt(context, snapshot, (fact) => endRun(fact, "aborted", reason));
}
