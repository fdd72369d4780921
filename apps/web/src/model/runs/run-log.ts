/**
 * The events of one run that this page holds: a range without gaps, from `first` to `head`.
 *
 * - `logAfter(seq)` an empty log that continues after `seq`.
 * - `receive(log, event)` takes an event from the stream: the next one, one already seen, or one ahead of a gap.
 * - `accept(log, events)` appends the result of a refill, as far as it connects.
 * - `prepend(log, events)` adds older events in front, as far as they connect.
 */
import type { RunEventView } from "@devflow/protocol";

export interface RunLog {
  readonly first: number;
  readonly head: number;
  readonly events: readonly RunEventView[];
}
export type Arrival = "next" | "seen" | "ahead";

export const logAfter = (seq: number): RunLog => ({ first: seq + 1, head: seq, events: [] });

export function receive(log: RunLog, event: RunEventView): { log: RunLog; arrival: Arrival } {
  if (event.seq <= log.head) return { log, arrival: "seen" };
  if (event.seq > log.head + 1) return { log, arrival: "ahead" };
  return { log: { ...log, head: event.seq, events: [...log.events, event] }, arrival: "next" };
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
