/** States of the brain in words, with their tone; and how hot a file is. */
import type { DecisionRow, HotFile, IntentRow, PresenceRow } from "@devflow/protocol";
import type { Word } from "../runs/run-words.ts";

const decisions: Record<DecisionRow["state"], Word> = {
  proposed: { word: "Proposed", tone: "warn" },
  accepted: { word: "Accepted", tone: "good" },
  superseded: { word: "Superseded", tone: "calm" },
  rejected: { word: "Rejected", tone: "bad" },
  expired: { word: "Expired", tone: "calm" },
};
export const decisionWord = ({ state, type }: Pick<DecisionRow, "state" | "type">): Word =>
  type === "freeze" && state === "accepted" ? { word: "In force", tone: "warn" } : decisions[state];

const intents: Record<IntentRow["state"], Word> = {
  active: { word: "Active", tone: "busy" },
  shipped: { word: "Shipped", tone: "good" },
  abandoned: { word: "Abandoned", tone: "calm" },
};
export const intentWord = ({ state }: Pick<IntentRow, "state">): Word => intents[state];

const presences: Record<PresenceRow["state"], Word> = {
  working: { word: "Working", tone: "busy" },
  waiting: { word: "Waiting", tone: "warn" },
  idle: { word: "Idle", tone: "calm" },
};
export const presenceWord = ({ state }: Pick<PresenceRow, "state">): Word => presences[state];

/** `claude`; for an agent that has a name of its own besides its person's, `run (coder)`. */
export const agentName = ({ host, handle, user_name }: Pick<PresenceRow, "host" | "handle" | "user_name">): string =>
  handle === null || handle === user_name ? host : `${host} (${handle})`;

export const decisionName = ({ number, id }: Pick<DecisionRow, "number" | "id">): string =>
  number === null ? id.slice(-8) : `#${number}`;

/** 0 to 4: edits count, and agents who meet in one file count more. */
export function heatOf({ edits, agents }: Pick<HotFile, "edits" | "agents">, most: number): number {
  const share = most === 0 ? 0 : (edits * agents) / most;
  return share > 0.6 ? 4 : share > 0.3 ? 3 : share > 0.1 ? 2 : share > 0.02 ? 1 : 0;
}
