/** The name of an actor, if the team knows it. */
import type { RunEventView } from "@devflow/protocol";
import { useMembers, useStatus } from "../../queries.ts";

export type Actor = RunEventView["actor"];

export function useActorName(): (actor: Actor) => string {
  const status = useStatus();
  const members = useMembers();
  return (actor) => {
    if (actor.userId === null) return actor.kind === "human" ? "someone" : "Devflow";
    const isMe = actor.userId === status.data?.user.id;
    const name = isMe ? "you" : (actor.name ?? members.data?.find((member) => member.user_id === actor.userId)?.name);
    const who = name ?? actor.userId.slice(-12);
    return actor.kind === "human" ? who : `${who} (${actor.kind})`;
  };
}
