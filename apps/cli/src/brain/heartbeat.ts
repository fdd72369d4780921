/** `devflow brain heartbeat`: the presence file of this machine, and the same on the server. */
import { clearPresence, writePresence } from "@devflow/brain/presence";
import type { HandlerOf } from "@devflow/core/command";
import { counted } from "../data/amounts.ts";
import type { brainHeartbeatRecord } from "./commands.ts";
import { isOffline, openBrain } from "./open-brain.ts";
import { ownIntent } from "./own-intent.ts";

export const brainHeartbeat: HandlerOf<typeof brainHeartbeatRecord> = async ({ intent, file, state }, context) => {
  const brain = await openBrain(context);
  const { agent, branch, place, home } = brain;
  const files = await Promise.all(file.map((one) => brain.pathOf(one)));
  const doing = intent ?? (await ownIntent(brain))?.text ?? null;
  if (state === "left") await clearPresence(home.root, agent.id);
  else {
    const { server, team, user } = place.to;
    const at = new Date().toISOString();
    const where = { server, team, user, repo: place.repo, branch };
    await writePresence(home.root, { agent, ...where, intent: doing, files, state, at });
  }
  const answer = await brain.ask("heartbeat", {
    ...{ agent, files, state, ...brain.repo },
    ...(doing === null ? {} : { intent_text: doing }),
    ...(branch === null ? {} : { branch }),
  });
  const source = await brain.source(answer);
  const text = isOffline(answer)
    ? `Offline (${answer.offline}); only this machine knows.`
    : state === "left"
      ? "You left."
      : `${counted(answer, "other")} at work.`;
  context.output.result({ source, agent: agent.id, others: isOffline(answer) ? null : answer }, text);
};
