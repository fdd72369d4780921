/**
 * The hash chain of a run's events: each hash covers the event and the previous hash, so that no event can be altered,
 * removed or inserted without breaking every later hash.
 *
 * - `linkEvent(previous, event)` the hash of an event.
 * - `verifyChain(events)` the first event that does not fit, or undefined.
 */
import { hash } from "@devflow/core/hash";
import type { Actor } from "./actor.ts";
import type { RunEventType } from "./event-types.ts";

export interface RunEvent {
  readonly runId: string;
  readonly seq: number;
  readonly phaseId: string | null;
  readonly type: RunEventType;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly key: string;
  readonly actor: Actor;
  /** ISO, UTC, milliseconds. */
  readonly at: string;
}

export interface ChainedEvent extends RunEvent {
  readonly prevHash: string;
  readonly hash: string;
}

export function linkEvent(previous: string, event: RunEvent): string {
  const { runId, seq, phaseId, type, payload, key, actor, at } = event;
  return hash({ previous, runId, seq, phaseId, type, payload, key, actor, at });
}

export interface ChainFault {
  readonly seq: number;
  readonly problem: string;
}

export function verifyChain(events: readonly ChainedEvent[], head: string): ChainFault | undefined {
  let previous = "";
  let expected = 1;
  for (const event of events) {
    if (event.seq !== expected) return { seq: expected, problem: `event ${expected} is missing` };
    if (event.prevHash !== previous) return { seq: event.seq, problem: "it does not follow the event before it" };
    if (!isPurged(event, events) && linkEvent(previous, event) !== event.hash)
      return { seq: event.seq, problem: "its content was altered" };
    previous = event.hash;
    expected += 1;
  }
  if (previous !== head) return { seq: expected, problem: "events are missing at the end" };
  return undefined;
}

/** A purge blanks content and is itself an event; the hashes still bind every event to its place. */
function isPurged({ seq, payload }: ChainedEvent, events: readonly ChainedEvent[]): boolean {
  return payload.purged === true && events.some((later) => later.type === "run.purged" && later.seq > seq);
}
