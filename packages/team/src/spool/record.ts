/**
 * A record in the spool: one fact, and where it goes. The destination and the person are fixed when it is written, so that work
 * for one team can never reach another's server.
 */
const recordKinds = [
  "eval_run",
  "eval_results",
  "retro_snapshot",
  "review_triage",
  "qa_report",
  "ship_log",
  "transcript",
  "run_progress",
  "approval_request",
  "verdict",
  "verdict_answer",
  "agent_edit",
  "agent_read",
  "intent",
  "decision",
  "decision_event",
  "handoff",
  "feature_tag",
  "ping",
] as const;
export type RecordKind = (typeof recordKinds)[number];

export interface Destination {
  /** A team server's URL, or `local` for the server of this home, whose port may change. */
  readonly server: string;
  /** The team's id. */
  readonly team: string;
  /** The person whose token sends it. */
  readonly user: string;
}

export interface RecordDraft {
  /** Derived from the content where the same fact must have the same id; otherwise made by `spool`. */
  readonly id?: string;
  readonly kind: RecordKind;
  readonly to: Destination;
  /** The canonical remote of the repository it is about. */
  readonly repo: string | null;
  /** The agent's session that caused it. */
  readonly agent?: string | null;
  /** Seconds. */
  readonly expiresIn?: number;
  readonly payload: object;
}

/** The file's content. */
export interface SpooledRecord {
  readonly id: string;
  readonly kind: string;
  readonly schema_version: number;
  readonly at: string;
  readonly server: string;
  readonly team: string;
  readonly user: string;
  readonly repo: string | null;
  readonly agent: string | null;
  readonly expires_in?: number;
  readonly payload: unknown;
}
