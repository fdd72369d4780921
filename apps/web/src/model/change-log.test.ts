import { expect, test } from "bun:test";
import type { Change } from "@devflow/protocol";
import { accept, addOlder, emptyLog, followTeams, keptChanges, receive, resumeId } from "./change-log.ts";

const change = (seq: number, teamId = "a"): Change => ({
  teamId,
  seq,
  kind: "ping",
  entityId: "e",
  op: "upsert",
  at: new Date(seq * 1_000).toISOString(),
});
const at = (head: number) => followTeams(emptyLog, new Map([["a", head]]));
const seqs = (log: { changes: readonly Change[] }) => log.changes.map(({ seq }) => seq);

test("a change is the next, seen before, or ahead of something missing", () => {
  const rows = [
    { seq: 6, receipt: "next", shown: [6] },
    { seq: 5, receipt: "seen", shown: [] },
    { seq: 1, receipt: "seen", shown: [] },
    { seq: 7, receipt: "ahead", shown: [] },
  ] as const;
  for (const { seq, receipt, shown } of rows) {
    const result = receive(at(5), change(seq));
    expect({ receipt: result.receipt, shown: seqs(result.log) }).toEqual({ receipt, shown: [...shown] });
  }
});

test("teams count apart, and the resume id names where each stands", () => {
  const log = followTeams(
    emptyLog,
    new Map([
      ["a", 2],
      ["b", 9],
    ]),
  );
  expect(receive(log, change(3, "a")).receipt).toBe("next");
  expect(receive(log, change(3, "b")).receipt).toBe("seen");
  expect(resumeId(receive(log, change(10, "b")).log)).toBe("a:2,b:10");
  expect(resumeId(emptyLog)).toBe("");
});

test("a team keeps its cursor when the list of teams is told again, a left team disappears", () => {
  const both = followTeams(
    emptyLog,
    new Map([
      ["a", 2],
      ["b", 9],
    ]),
  );
  const moved = receive(both, change(3)).log;
  const after = followTeams(
    moved,
    new Map([
      ["a", 1],
      ["c", 4],
    ]),
  );
  expect(resumeId(after)).toBe("a:3,c:4");
  expect(seqs(followTeams(moved, new Map([["b", 9]])))).toEqual([]);
});

test("older changes join the list once and without a flash; what the stream will bring is left to it", () => {
  const live = receive(at(5), change(6)).log;
  const log = addOlder(addOlder(live, [change(4), change(5), change(6), change(7)]), [change(5)]);
  expect(log.changes.map(({ seq, live }) => ({ seq, live }))).toEqual([
    { seq: 6, live: true },
    { seq: 5, live: false },
    { seq: 4, live: false },
  ]);
});

test("a refill takes only what is new, and moves on past rows that were trimmed away", () => {
  expect(seqs(accept(at(5), "a", [change(4), change(6), change(7)]))).toEqual([7, 6]);
  expect(resumeId(accept(at(5), "a", [change(90)]))).toBe("a:90");
  expect(accept(at(5), "a", [change(5)])).toEqual(at(5));
});

test("the newest are kept and the cursor knows about all", () => {
  let log = at(0);
  for (let seq = 1; seq <= keptChanges + 50; seq++) log = receive(log, change(seq)).log;
  expect(log.changes.length).toBe(keptChanges);
  expect(log.changes[0]?.seq).toBe(keptChanges + 50);
  expect(resumeId(log)).toBe(`a:${keptChanges + 50}`);
});
