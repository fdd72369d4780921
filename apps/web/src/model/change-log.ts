/**
 * The part of the teams' logs that this page holds: the newest changes, and for each team a cursor, the sequence number up to
 * which nothing is missing.
 *
 * - `emptyLog` has no teams and no changes.
 * - `followTeams(log, heads)` follows exactly these teams; new ones start at the head of their log.
 * - `addOlder(log, changes)` adds changes before the cursor, for display only.
 * - `receive(log, change)` takes a change from the stream: the next one, one already seen, or one ahead of a gap.
 * - `accept(log, teamId, changes)` takes the result of a refill, from which older rows may have been trimmed.
 * - `resumeId(log)` the `Last-Event-ID` to resume the stream with.
 */
import type { Change } from "@devflow/protocol";

/** How many changes of each team are kept for display. The cursors are not limited by it. */
export const keptChanges = 200;

export interface LoggedChange extends Change {
  /** Arrived over the stream while the page was open; shown with a flash. */
  readonly live: boolean;
}

export interface ChangeLog {
  readonly cursors: ReadonlyMap<string, number>;
  /** Newest first. */
  readonly changes: readonly LoggedChange[];
}

export const emptyLog: ChangeLog = { cursors: new Map(), changes: [] };

export type Arrival = "next" | "seen" | "ahead";

export function followTeams(log: ChangeLog, heads: ReadonlyMap<string, number>): ChangeLog {
  return {
    cursors: new Map([...heads].map(([teamId, head]) => [teamId, log.cursors.get(teamId) ?? head])),
    changes: log.changes.filter((change) => heads.has(change.teamId)),
  };
}

export function addOlder(log: ChangeLog, changes: readonly Change[]): ChangeLog {
  const known = new Set(log.changes.map(keyOf));
  const older = changes.filter(
    (change) => change.seq <= (log.cursors.get(change.teamId) ?? 0) && !known.has(keyOf(change)),
  );
  return { ...log, changes: merged(log.changes, older, false) };
}

export function receive(log: ChangeLog, change: Change): { log: ChangeLog; arrival: Arrival } {
  const cursor = log.cursors.get(change.teamId) ?? 0;
  if (change.seq <= cursor) return { log, arrival: "seen" };
  if (change.seq > cursor + 1) return { log, arrival: "ahead" };
  return { log: add(log, change.teamId, [change], change.seq), arrival: "next" };
}

export function accept(log: ChangeLog, teamId: string, changes: readonly Change[]): ChangeLog {
  const cursor = log.cursors.get(teamId) ?? 0;
  const fresh = changes.filter((change) => change.teamId === teamId && change.seq > cursor);
  const head = fresh.reduce((highest, change) => Math.max(highest, change.seq), cursor);
  return fresh.length === 0 ? log : add(log, teamId, fresh, head);
}

export function resumeId(log: ChangeLog): string {
  return [...log.cursors].map(([teamId, seq]) => `${teamId}:${seq}`).join(",");
}

function add(log: ChangeLog, teamId: string, changes: readonly Change[], head: number): ChangeLog {
  return { cursors: new Map(log.cursors).set(teamId, head), changes: merged(log.changes, changes, true) };
}

function merged(present: readonly LoggedChange[], changes: readonly Change[], live: boolean): LoggedChange[] {
  const added = changes.map((change) => ({ ...change, live }));
  const kept = new Map<string, number>();
  return [...added, ...present].sort(newestFirst).filter(({ teamId }) => {
    const count = (kept.get(teamId) ?? 0) + 1;
    kept.set(teamId, count);
    return count <= keptChanges;
  });
}

export function keyOf(change: Change): string {
  return `${change.teamId}:${change.seq}`;
}

/** By time; within a team by sequence number, since clocks can differ. */
function newestFirst(a: Change, b: Change): number {
  if (a.teamId === b.teamId) return b.seq - a.seq;
  return Date.parse(b.at) - Date.parse(a.at);
}
