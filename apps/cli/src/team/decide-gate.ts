/**
 * `devflow team decide`: a verdict on a gate of a teammate's run.
 *
 * It carries what the gate was when it was read: if the gate has moved on by then, the machine of the run answers that it is stale.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { CommandContext, HandlerOf } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { homeAt } from "@devflow/core/home";
import { uuidv7 } from "@devflow/core/ids";
import { shortLine } from "@devflow/core/plain-text";
import { readRows } from "@devflow/team/cache";
import { z } from "zod";
import { callerSession } from "../run/caller-session.ts";
import { pushed } from "../sync/push-records.ts";
import type { teamDecideRecord } from "./commands.ts";
import { openGates, pulledCache } from "./gates.ts";
import { pickById } from "./pick.ts";

/** How long the machine that runs it has to answer: it looks every second, and the answer travels. */
const answerMs = 10_000;

export const decideGate: HandlerOf<typeof teamDecideRecord> = async ({ gate: given, verdict, comment }, context) => {
  if (callerSession(context.env)) throw new DevflowError("agent_may_not_decide");
  const { place, folder } = await pulledCache(context);
  const home = homeAt(context.config().home);
  const { shown } = pickById(await openGates(folder), given, "waiting gate", "devflow team gates");
  const id = uuidv7();
  const payload = {
    ...{ run_id: shown.run_id, request_id: shown.request_id, epoch: shown.epoch, diff_hash: shown.diff_hash ?? null },
    action: verdict === "request-changes" ? "request_changes" : verdict,
    ...(comment === undefined ? {} : { comment }),
  };
  const { isSent } = await pushed(home, place, [{ id, kind: "verdict", payload }], context);
  const about = `${shortLine(shown.gate, 30)} of "${shortLine(shown.title, 80)}"`;
  if (!isSent) {
    return context.output.result(
      { verdict: id, outcome: "queued" },
      `Your verdict on ${about} waits until the team server can be reached: devflow sync status`,
    );
  }
  const outcome = await answerTo(id, folder, context);
  switch (outcome) {
    case "applied":
      return context.output.result({ verdict: id, outcome }, `Your verdict on ${about} was applied.`);
    case "stale":
    case "refused":
      throw new DevflowError("conflict", {
        details: {
          problem:
            outcome === "stale"
              ? `The gate ${about} had moved on before your verdict came; it was not applied.`
              : `Your verdict on ${about} was refused: the person who started this run may not decide it.`,
          next: "See what waits now: devflow team gates",
        },
      });
    default:
      return context.output.result(
        { verdict: id, outcome: "sent" },
        `Your verdict on ${about} was sent. The machine of the run has not answered yet; it may be off. See later: devflow team gates`,
      );
  }
};

const Answer = z.looseObject({ verdict_id: z.uuid(), outcome: z.enum(["applied", "stale", "refused"]) });

async function answerTo(verdict: string, folder: string, context: CommandContext) {
  // A person who stops waiting has sent the verdict all the same.
  for (const end = Date.now() + answerMs; Date.now() < end && !context.signal.aborted; ) {
    await pulledCache(context).catch((error) => {
      if (!context.signal.aborted) throw error;
    });
    for (const { payload } of await readRows(folder, "verdict_answer")) {
      const answer = Answer.safeParse(payload).data;
      if (answer?.verdict_id === verdict) return answer.outcome;
    }
    await pause(300, undefined, { signal: context.signal }).catch(() => undefined);
  }
  return undefined;
}
