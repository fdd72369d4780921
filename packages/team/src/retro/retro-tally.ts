/**
 * Adds up commits, newest first, into the numbers of a retro.
 *
 * - `retroTally(span)` `add` each commit of the span and of the one before it; `finish` gives the numbers.
 *
 * A commit belongs to a span by when its author wrote it, so work that was rebased later is not counted again. Bots are counted apart.
 */
import type { Commit } from "./commit.ts";
import { type LineKind, lineKinds } from "./line-kind.ts";
import { streakOf, workSessions } from "./work-sessions.ts";

export interface LineCount {
  added: number;
  deleted: number;
}

export interface SessionNumbers {
  readonly count: number;
  readonly active_minutes: number;
  /** Of 50 minutes or more. */
  readonly deep: number;
  readonly longest_minutes: number;
}

export interface AuthorNumbers {
  readonly name: string;
  readonly commits: number;
  readonly lines: LineCount;
  /** Share of the added lines of code and tests that are tests. */
  readonly test_share: number | null;
  readonly assisted: number;
  readonly active_days: number;
  readonly sessions: SessionNumbers;
  /** The folder with most of their commits. */
  readonly area: string | null;
}

export interface HotSpot {
  readonly path: string;
  readonly commits: number;
  readonly lines: number;
}

export interface RetroNumbers {
  readonly commits: number;
  readonly merges: number;
  readonly bot_commits: number;
  readonly people: number;
  readonly lines: Readonly<Record<LineKind, LineCount>>;
  readonly test_share: number | null;
  readonly files: number;
  readonly active_days: number;
  readonly sessions: SessionNumbers;
  readonly by_hour: readonly number[];
  /** By the word before the colon of a subject, such as `fix: …`. */
  readonly types: Readonly<Record<string, number>>;
  readonly reverts: number;
  readonly assisted: { readonly commits: number; readonly share: number | null };
  readonly hot_spots: readonly HotSpot[];
  readonly hot_folders: readonly HotSpot[];
  readonly before: { readonly commits: number; readonly people: number };
}

export interface Retro {
  readonly numbers: RetroNumbers;
  readonly authors: readonly AuthorNumbers[];
  /** Days in a row with a commit; the span's length at most. */
  readonly streak: number;
  /** The streak fills the span, so it may be longer. */
  readonly isStreakCut: boolean;
}

export interface RetroSpan {
  readonly sinceMs: number;
  readonly untilMs: number;
  /** The last day of the span, on the clock of whoever asks. */
  readonly today: string;
}

interface AuthorTally {
  name: string;
  readonly times: number[];
  readonly days: Set<string>;
  readonly lines: Record<LineKind, LineCount>;
  readonly folders: Map<string, number>;
  assisted: number;
}

const noLines = (): Record<LineKind, LineCount> =>
  Object.fromEntries(lineKinds.map((kind) => [kind, { added: 0, deleted: 0 }])) as Record<LineKind, LineCount>;

export function retroTally({ sinceMs, untilMs, today }: RetroSpan) {
  const lengthMs = untilMs - sinceMs;
  const people = new Map<string, AuthorTally>();
  const before = { commits: 0, people: new Set<string>() };
  const byHour = Array.from({ length: 24 }, () => 0);
  const types = new Map<string, number>();
  const touched = new Map<string, { commits: number; lines: number; kind: LineKind }>();
  const folders = new Map<string, { commits: number; lines: number }>();
  /** Older commits know a moved file by its old name. */
  const movedTo = new Map<string, string>();
  const lines = noLines();
  let [commits, merges, bots, reverts, assisted] = [0, 0, 0, 0, 0];

  function add(commit: Commit) {
    const paths = commit.files.map((file) => {
      const now = movedTo.get(file.path) ?? file.path;
      if (file.from !== undefined) movedTo.set(file.from, now);
      return { ...file, path: now };
    });
    if (commit.atMs > untilMs || commit.atMs <= sinceMs - lengthMs) return;
    const person = commit.email.toLowerCase() || commit.name;
    if (commit.atMs <= sinceMs) {
      if (commit.isMerge || commit.isBot) return;
      before.commits += 1;
      before.people.add(person);
      return;
    }
    if (commit.isMerge) {
      merges += 1;
      return;
    }
    if (commit.isBot) {
      bots += 1;
      return;
    }
    commits += 1;
    byHour[commit.hour] = (byHour[commit.hour] ?? 0) + 1;
    if (commit.reverts) reverts += 1;
    if (commit.isAssisted) assisted += 1;
    const type = typeOf(commit.subject);
    types.set(type, (types.get(type) ?? 0) + 1);
    const own = people.get(person) ?? newAuthor(commit.name);
    people.set(person, own);
    own.times.push(commit.atMs);
    own.days.add(commit.day);
    if (commit.isAssisted) own.assisted += 1;
    const seen = new Set<string>();
    for (const file of paths) {
      addLines(lines[file.kind], file);
      addLines(own.lines[file.kind], file);
      const changed = file.added + file.deleted;
      const spot = touched.get(file.path) ?? { commits: 0, lines: 0, kind: file.kind };
      touched.set(file.path, { ...spot, commits: spot.commits + 1, lines: spot.lines + changed });
      if (file.kind === "generated") continue;
      const folder = folderOf(file.path);
      const place = folders.get(folder) ?? { commits: 0, lines: 0 };
      // A commit counts once for each folder, however many files it changed there.
      const once = seen.has(folder) ? 0 : 1;
      seen.add(folder);
      folders.set(folder, { commits: place.commits + once, lines: place.lines + changed });
      own.folders.set(folder, (own.folders.get(folder) ?? 0) + once);
    }
  }

  function finish(): Retro {
    const authors = [...people.values()]
      .map(authorNumbers)
      .sort((a, b) => b.commits - a.commits || order(a.name, b.name));
    const days = new Set([...people.values()].flatMap((one) => [...one.days]));
    const streak = streakOf(days, today);
    const spots = [...touched].flatMap(([path, { kind, ...own }]) => (kind === "generated" ? [] : [{ path, ...own }]));
    return {
      authors,
      streak,
      isStreakCut: streak * 86_400_000 >= lengthMs - 86_400_000,
      numbers: {
        commits,
        merges,
        bot_commits: bots,
        people: authors.length,
        lines,
        test_share: testShare(lines),
        files: touched.size,
        active_days: days.size,
        sessions: sessionNumbers([...people.values()].map(({ times }) => times)),
        by_hour: byHour,
        types: Object.fromEntries([...types].sort((a, b) => b[1] - a[1] || order(a[0], b[0])).slice(0, 12)),
        reverts,
        assisted: { commits: assisted, share: commits === 0 ? null : assisted / commits },
        hot_spots: hottest(spots.filter((spot) => spot.commits > 1)),
        hot_folders: hottest([...folders].map(([path, own]) => ({ path, ...own }))),
        before: { commits: before.commits, people: before.people.size },
      },
    };
  }

  return { add, finish };
}

const newAuthor = (name: string): AuthorTally => ({
  name,
  times: [],
  days: new Set(),
  lines: noLines(),
  folders: new Map(),
  assisted: 0,
});

function authorNumbers({ name, times, days, lines, folders, assisted }: AuthorTally): AuthorNumbers {
  const sum = lineKinds.filter((kind) => kind !== "generated").map((kind) => lines[kind]);
  const [area] = [...folders].sort((a, b) => b[1] - a[1] || order(a[0], b[0]));
  return {
    name,
    commits: times.length,
    lines: {
      added: sum.reduce((all, one) => all + one.added, 0),
      deleted: sum.reduce((all, one) => all + one.deleted, 0),
    },
    test_share: testShare(lines),
    assisted,
    active_days: days.size,
    sessions: sessionNumbers([times]),
    area: area?.[0] ?? null,
  };
}

/** Everybody's own: two people who commit in turns are not one long session. */
function sessionNumbers(everybody: readonly (readonly number[])[]): SessionNumbers {
  const minutes = everybody.flatMap(workSessions).map(({ startMs, endMs }) => Math.round((endMs - startMs) / 60_000));
  return {
    count: minutes.length,
    active_minutes: minutes.reduce((all, one) => all + one, 0),
    deep: minutes.filter((one) => one >= 50).length,
    longest_minutes: Math.max(0, ...minutes),
  };
}

function testShare({ tests, code }: Readonly<Record<LineKind, LineCount>>): number | null {
  const all = tests.added + code.added;
  return all === 0 ? null : tests.added / all;
}

function addLines(to: LineCount, { added, deleted }: LineCount): void {
  to.added += added;
  to.deleted += deleted;
}

/** Two levels deep: below them, every folder would have its own line. */
function folderOf(path: string): string {
  const parts = path.split("/");
  return parts.length === 1 ? "." : `${parts.slice(0, Math.min(2, parts.length - 1)).join("/")}/`;
}

function typeOf(subject: string): string {
  const [, word] = /^([a-z]{2,12})(?:\([^)]{0,60}\))?!?:\s/i.exec(subject) ?? [];
  return word?.toLowerCase() ?? "other";
}

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const hottest = (spots: readonly HotSpot[]): HotSpot[] =>
  spots.toSorted((a, b) => b.commits - a.commits || b.lines - a.lines || order(a.path, b.path)).slice(0, 10);
