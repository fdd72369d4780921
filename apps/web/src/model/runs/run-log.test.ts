import { expect, test } from "bun:test";
import { runEvent } from "../../../tests/run-fixture.ts";
import { accept, logAfter, prepend, receive } from "./run-log.ts";

const seqs = (log: { events: readonly { seq: number }[] }) => log.events.map((event) => event.seq);
const events = (...numbers: number[]) => numbers.map((seq) => runEvent(seq, "phase.started"));

test("the next event is appended, a repeated one is dropped, one ahead of a gap is not taken", () => {
  const first = receive(logAfter(4), runEvent(5, "run.started"));
  expect(first.arrival).toBe("next");
  expect(receive(first.log, runEvent(5, "run.started"))).toEqual({ log: first.log, arrival: "seen" });
  expect(receive(first.log, runEvent(7, "run.paused"))).toEqual({ log: first.log, arrival: "ahead" });
});

test("a refill in any order, with repeats, fills the gap and stops at the next one", () => {
  const log = accept(logAfter(1), events(4, 2, 3, 3, 7));
  expect(seqs(log)).toEqual([2, 3, 4]);
  expect(log.head).toBe(4);
});

test("older events are prepended as far as they connect", () => {
  const log = prepend(accept(logAfter(5), events(6)), events(5, 4, 2, 6));
  expect(seqs(log)).toEqual([4, 5, 6]);
  expect(log.first).toBe(4);
});

test("five thousand events are added at once", () => {
  const all = Array.from({ length: 5_000 }, (_, index) => runEvent(index + 1, "usage.recorded"));
  expect(accept(logAfter(0), all).head).toBe(5_000);
  expect(prepend(logAfter(5_000), all).first).toBe(1);
});
