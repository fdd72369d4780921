/** `devflow team alerts test`, `devflow digest send`: queues a message, and waits a moment to see it leave. */
import { setTimeout as sleep } from "node:timers/promises";
import type { CommandContext } from "@devflow/core/command";
import { counted } from "../data/amounts.ts";
import { callRpc } from "../server/client.ts";
import { requireTeamServer } from "../team/team-server-only.ts";
import { findTarget, type TeamChoice, type TeamTarget } from "../team/team-target.ts";
import { alertProblem } from "./alert-lines.ts";

/** The server goes on trying after it. */
const patienceMs = 10_000;
const temporaryFailure = 75;

const sendNow = (kind: "test" | "digest", what: string) => async (choice: TeamChoice, context: CommandContext) => {
  const target = await findTarget(context, choice);
  requireTeamServer(target.server, "Sending alerts");
  const queued = await callRpc(target.address, "send_alert", { team_id: target.team.id, kind });
  const problem = await outcome(target, context);
  const to = counted(queued.targets, "target");
  const text = problem === undefined ? `${what} was sent to ${to}.` : `${what} is queued for ${to}. ${problem}`;
  context.output.result({ ...queued, sent: problem === undefined, problem: problem ?? null }, text);
  return problem === undefined ? 0 : temporaryFailure;
};

export const testAlerts = sendNow("test", "A test message");
export const sendDigest = sendNow("digest", "The digest");

async function outcome({ address, team }: TeamTarget, { signal }: CommandContext): Promise<string | undefined> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const state = await callRpc(address, "alert_state", { team_id: team.id });
    if (state.waiting === 0) return undefined;
    const problem = state.failing > 0 ? alertProblem(state) : undefined;
    if (problem !== undefined) return `Not sent yet: ${problem}`;
    if (Date.now() > deadline) return "It has not been sent yet. See: devflow team alerts show";
    await sleep(100, undefined, { signal });
  }
}
