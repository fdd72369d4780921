/**
 * The events of one run that this page holds: a stretch without a hole, from `first` to `head`.
 *
 * - `logAfter(seq)` holds nothing yet and waits for what follows.
 * - `receive(log, event)` takes one from the stream: the next, one seen before, or too far ahead.
 * - `accept(log, events)` takes what a refill brought, as far as it joins on.
 * - `prepend(log, events)` puts older ones in front, as far as they join on.
 */
import type { RunEventView } from "@devflow/protocol";

export interface RunLog {
  readonly first: number;
  readonly head: number;
  readonly events: readonly RunEventView[];
}
export type Receipt = "next" | "seen" | "ahead";

export const logAfter = (seq: number): RunLog => ({ first: seq + 1, head: seq, events: [] });

export function receive(log: RunLog, event: RunEventView): { log: RunLog; receipt: Receipt } {
  if (event.seq <= log.head) return { log, receipt: "seen" };
  if (event.seq > log.head + 1) return { log, receipt: "ahead" };
  return { log: { ...log, head: event.seq, events: [...log.events, event] }, receipt: "next" };
}

export function accept(log: RunLog, events: readonly RunEventView[]): RunLog {
  const added: RunEventView[] = [];
  let head = log.head;
  for (const event of inOrder(events)) {
    if (event.seq !== head + 1) continue;
    head += 1;
    added.push(event);
  }
  return added.length === 0 ? log : { ...log, head, events: [...log.events, ...added] };
}

export function prepend(log: RunLog, events: readonly RunEventView[]): RunLog {
  const added: RunEventView[] = [];
  let first = log.first;
  for (const event of inOrder(events).reverse()) {
    if (event.seq !== first - 1) continue;
    first -= 1;
    added.push(event);
  }
  return added.length === 0 ? log : { ...log, first, events: [...added.reverse(), ...log.events] };
}

const inOrder = (events: readonly RunEventView[]): RunEventView[] => events.toSorted((a, b) => a.seq - b.seq);
