/** Describes a change in words, and names the lists it makes stale. Kinds this page does not know are shown by their own name. */
import type { Change } from "@devflow/protocol";
import { kindTitle, recordKinds } from "./team/metric-words.ts";

const nouns: Record<string, string> = {
  team: "Team",
  team_member: "Member",
  member: "Member",
  repo: "Repository",
  ping: "Ping",
  user: "Person",
  run: "Run",
  invite: "Invite",
  access_token: "Token",
  presence: "Presence",
  intent: "Intent",
  decision: "Decision",
  decision_event: "Decision",
  handoff: "Handoff",
  agent_edit: "Edit",
  agent_read: "Reading",
  feature_tag: "Feature",
  verdict_answer: "Answer to a verdict",
};

export function kindName(kind: string): string {
  return Object.hasOwn(nouns, kind) ? nouns[kind]! : kindTitle(kind);
}

export function describeChange(change: Pick<Change, "kind" | "op">): string {
  if (change.kind === "ping") return change.op === "delete" ? "Ping removed" : "Ping received";
  if (change.kind === "run") return change.op === "delete" ? "Run removed" : "Run updated";
  return `${kindName(change.kind)} ${change.op === "delete" ? "removed" : "saved"}`;
}

type BrainList = "presence" | "intents" | "decisions" | "handoffs" | "edits";

export type TouchedList =
  | ("repos" | "members" | "status" | "runs" | "approvals" | "sessions" | "comments" | "invites" | "tokens" | "metrics")
  | BrainList;

/** Whether the team's numbers count records of this kind, and its Records screen shows them. */
export const isRecordKind = (kind: string): boolean => recordKinds.includes(kind);

/** The lists to read again after a change of this kind. */
export function listsTouchedBy(kind: string): readonly TouchedList[] {
  switch (kind) {
    case "run":
      return ["runs", "approvals", "sessions", "comments"];
    case "repo":
      return ["repos"];
    case "team_member":
    case "member":
    case "user":
      return ["members", "status", "invites", "tokens"];
    case "invite":
      return ["invites"];
    case "access_token":
      return ["tokens"];
    case "team":
      return ["status"];
    case "presence":
      return ["presence"];
    case "intent":
      return ["intents", "edits"];
    case "decision":
    case "decision_event":
    case "feature_tag":
      return ["decisions", "edits"];
    case "handoff":
      return ["handoffs", "edits"];
    case "agent_edit":
      return ["edits"];
    default:
      return isRecordKind(kind) ? ["metrics"] : [];
  }
}
