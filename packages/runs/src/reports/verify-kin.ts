/**
 * Whether the chains of a run and its lanes hold together: a lane's first event names an event of its parent, and the parent's log
 * names the head and the last commit that the lane ended with.
 *
 * - `checkKin(context, events, verifyLane)` one check for each lane of the run, and one for its parent if it is a lane.
 *   `verifyLane` checks the lane's own log and files, and returns what is wrong.
 */
import { z } from "zod";
import type { EngineContext } from "../engine/context.ts";
import type { ChainedEvent } from "../events/chain.ts";
import type { VerifyCheck } from "./verify-run.ts";

const Ended = z.object({
  lane: z.string(),
  run: z.string(),
  try: z.number(),
  head: z.string(),
  seq: z.number(),
  commit: z.string(),
});
const Born = z.object({ parent: z.object({ run: z.string(), head: z.string(), seq: z.number(), lane: z.string() }) });

type VerifyLane = (runId: string) => Promise<string | undefined>;

export async function checkKin(
  context: Pick<EngineContext, "database">,
  events: readonly ChainedEvent[],
  verifyLane: VerifyLane,
): Promise<VerifyCheck[]> {
  const checks: VerifyCheck[] = [];
  const born = events.find((one) => one.type === "run.created");
  const parent = Born.safeParse(born?.payload).data?.parent;
  if (parent) checks.push(await checkParent(context, parent));
  for (const event of events.filter((one) => one.type === "lane.completed")) {
    const ended = Ended.safeParse(event.payload).data;
    if (ended) checks.push(await checkLane(context, events, ended, verifyLane));
  }
  return checks;
}

async function checkParent(
  context: Pick<EngineContext, "database">,
  { run, head, seq }: z.infer<typeof Born>["parent"],
) {
  const isThere = (await hashAt(context, run, seq)) === head;
  const detail = isThere ? `began after event ${seq} of its parent` : `its parent has no such event ${seq}`;
  return { name: "parent", ok: isThere, detail };
}

async function checkLane(
  context: Pick<EngineContext, "database">,
  events: readonly ChainedEvent[],
  { lane, run, try: attempt, head, seq, commit }: z.infer<typeof Ended>,
  verifyLane: VerifyLane,
): Promise<VerifyCheck> {
  const name = `lane ${lane}${attempt > 1 ? ` (try ${attempt})` : ""}`;
  const bad = (detail: string): VerifyCheck => ({ name, ok: false, detail });
  const first = Born.safeParse(await payloadOf(context, run)).data?.parent;
  // Purged lanes have no content; what is left of them is checked below.
  if (first && events.find((one) => one.seq === first.seq)?.hash !== first.head)
    return bad("its first event names another parent");
  if ((await hashAt(context, run, seq)) !== head) return bad("its log does not end as this run recorded");
  const fault = await verifyLane(run);
  return fault === undefined ? { name, ok: true, detail: `unbroken, ended at ${commit.slice(0, 10)}` } : bad(fault);
}

async function hashAt({ database }: Pick<EngineContext, "database">, runId: string, seq: number) {
  const [row] = await database.asEngine(
    (tx) => tx<{ hash: string }[]>`select hash from app.run_events where run_id = ${runId} and seq = ${seq}`,
  );
  return row?.hash;
}

async function payloadOf({ database }: Pick<EngineContext, "database">, runId: string): Promise<unknown> {
  const [row] = await database.asEngine(
    (tx) => tx<{ payload: unknown }[]>`select payload from app.run_events where run_id = ${runId} and seq = 1`,
  );
  return row?.payload;
}
