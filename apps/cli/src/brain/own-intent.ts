/** The active intent of this session: the newest of its agent, otherwise the person's on the same branch. */
import type { IntentRow } from "@devflow/protocol";
import type { Brain } from "./open-brain.ts";

export async function ownIntent({ agent, author, branch, digest }: Brain): Promise<IntentRow | undefined> {
  const { intents } = await digest();
  return (
    intents.find((one) => one.agent_id === agent.id && one.user_id === author.id) ??
    intents.find((one) => one.user_id === author.id && branch !== null && one.branch === branch)
  );
}
