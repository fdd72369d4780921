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

test("a change is the next one, already seen, or ahead of a gap", () => {
  const rows = [
    { seq: 6, arrival: "next", shown: [6] },
    { seq: 5, arrival: "seen", shown: [] },
    { seq: 1, arrival: "seen", shown: [] },
    { seq: 7, arrival: "ahead", shown: [] },
  ] as const;
  for (const { seq, arrival, shown } of rows) {
    const result = receive(at(5), change(seq));
    expect({ arrival: result.arrival, shown: seqs(result.log) }).toEqual({ arrival, shown: [...shown] });
  }
});

test("each team has its own sequence, and the resume id holds the position of each", () => {
  const log = followTeams(
    emptyLog,
    new Map([
      ["a", 2],
      ["b", 9],
    ]),
  );
  expect(receive(log, change(3, "a")).arrival).toBe("next");
  expect(receive(log, change(3, "b")).arrival).toBe("seen");
  expect(resumeId(receive(log, change(10, "b")).log)).toBe("a:2,b:10");
  expect(resumeId(emptyLog)).toBe("");
});

test("a team keeps its cursor when the list of teams is sent again, and a team that was left disappears", () => {
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

test("older changes are added once and do not flash; changes after the cursor are left to the stream", () => {
  const live = receive(at(5), change(6)).log;
  const log = addOlder(addOlder(live, [change(4), change(5), change(6), change(7)]), [change(5)]);
  expect(log.changes.map(({ seq, live }) => ({ seq, live }))).toEqual([
    { seq: 6, live: true },
    { seq: 5, live: false },
    { seq: 4, live: false },
  ]);
});

test("a refill takes only new changes, and skips rows that were trimmed", () => {
  expect(seqs(accept(at(5), "a", [change(4), change(6), change(7)]))).toEqual([7, 6]);
  expect(resumeId(accept(at(5), "a", [change(90)]))).toBe("a:90");
  expect(accept(at(5), "a", [change(5)])).toEqual(at(5));
});

test("only the newest changes are kept, and the cursor counts all of them", () => {
  let log = at(0);
  for (let seq = 1; seq <= keptChanges + 50; seq++) log = receive(log, change(seq)).log;
  expect(log.changes.length).toBe(keptChanges);
  expect(log.changes[0]?.seq).toBe(keptChanges + 50);
  expect(resumeId(log)).toBe(`a:${keptChanges + 50}`);
});

test("a busy team does not push another team's changes out of the log", () => {
  const teams = new Map([
    ["busy", 0],
    ["quiet", 0],
  ]);
  let log = receive(followTeams(emptyLog, teams), change(1, "quiet")).log;
  for (let seq = 1; seq <= keptChanges + 50; seq++) log = receive(log, change(seq, "busy")).log;
  expect(log.changes.filter(({ teamId }) => teamId === "quiet").map(({ seq }) => seq)).toEqual([1]);
  expect(log.changes.length).toBe(keptChanges + 1);
});
