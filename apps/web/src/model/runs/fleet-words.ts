/** Words about machines. */
import type { HostView } from "@devflow/protocol";
import type { Word } from "./run-words.ts";

const words: Record<HostView["state"], Word> = {
  present: { word: "Present", tone: "good" },
  draining: { word: "Draining", tone: "calm" },
  suspect: { word: "Silent", tone: "warn" },
  lost: { word: "Lost", tone: "bad" },
  removed: { word: "Removed", tone: "calm" },
};

/** A machine that is there but cannot reach Temporal does nothing either. */
export function hostWord({ state, engine }: Pick<HostView, "state" | "engine">): Word {
  const isAway = engine !== null && engine.kind !== "connected" && engine.kind !== "connecting";
  return state === "present" && isAway ? { word: "No Temporal", tone: "bad" } : words[state];
}

export function beatWord({ silentMs }: Pick<HostView, "silentMs">): string {
  const seconds = Math.round(silentMs / 1_000);
  if (seconds < 120) return `${seconds} s ago`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min ago` : `${Math.round(minutes / 60)} h ago`;
}
