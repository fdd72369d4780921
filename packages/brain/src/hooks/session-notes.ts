/**
 * What hooks remember of an agent's session from one call to the next: `~/.devflow/hooks/sessions/<agent>.jsonl`, 0600.
 *
 * - `note(home, agent, line)` appends one line. Hooks of one session run at the same time, so nothing is ever rewritten.
 * - `readNotes(home, agent)` all of it as one value; a line that was cut is left out.
 * - `forgetOldNotes(home, nowMs)` removes those of sessions that ended weeks ago.
 */
import {
  appendFileSync,
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname, join } from "node:path";

export type Note =
  | { readonly is: "prompt"; readonly text: string }
  | ({ readonly is: "intent"; readonly isOver?: boolean } & NotedIntent)
  | { readonly is: "edit"; readonly file: string; readonly hash?: string }
  | { readonly is: "read"; readonly file: string; readonly hash: string }
  | { readonly is: "decision"; readonly id: string; readonly rev: number }
  | { readonly is: "told"; readonly file: string; readonly hash: string }
  | { readonly is: "said"; readonly text: string }
  | { readonly is: "sent"; readonly what: "reads" | "handoff"; readonly count: number };

export interface NotedIntent {
  readonly id: string;
  readonly rev: number;
  readonly text: string;
  readonly confidence: number;
  readonly source: "person" | "inferred";
}

export interface SessionNotes {
  /** The first and the last prompt, without secrets. */
  readonly firstPrompt?: string;
  readonly prompt?: string;
  /** Undefined once it was shipped or abandoned. */
  readonly intent?: NotedIntent;
  /** Newest first. */
  readonly edited: readonly string[];
  readonly hashes: ReadonlyMap<string, string>;
  readonly reads: ReadonlyMap<string, string>;
  readonly decisions: ReadonlyMap<string, number>;
  /** What was said about a file, by its hash. */
  readonly told: ReadonlyMap<string, string>;
  readonly said?: string;
  readonly sentReads: number;
  /** How many edits the last handoff knew. */
  readonly handedOff: number;
  readonly edits: number;
}

/** A session that edits for days; older lines say less than newer ones. */
const maxBytes = 2_000_000;
const keptMs = 14 * 24 * 3_600_000;

const folderOf = (home: string): string => join(home, "hooks", "sessions");
const fileOf = (home: string, agent: string): string => join(folderOf(home), `${agent}.jsonl`);

export function note(home: string, agent: string, line: Note): void {
  const file = fileOf(home, agent);
  const bytes = `${JSON.stringify(line)}\n`;
  try {
    appendFileSync(file, bytes, { mode: 0o600 });
  } catch (error) {
    if ((error as { code?: string }).code !== "ENOENT") throw error;
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    appendFileSync(file, bytes, { mode: 0o600 });
  }
}

export function readNotes(home: string, agent: string): SessionNotes {
  const edited = new Map<string, true>();
  const found = {
    ...{ edited, hashes: new Map<string, string>(), reads: new Map<string, string>() },
    ...{ decisions: new Map<string, number>(), told: new Map<string, string>() },
    facts: { sentReads: 0, handedOff: 0, edits: 0 } as Facts,
  };
  for (const line of lastLines(fileOf(home, agent))) apply(line, found);
  const { facts, ...sets } = found;
  return { ...facts, ...sets, edited: [...edited.keys()].reverse() };
}

type Facts = Omit<SessionNotes, "edited" | "hashes" | "reads" | "decisions" | "told">;

interface Gathered {
  readonly edited: Map<string, true>;
  readonly hashes: Map<string, string>;
  readonly reads: Map<string, string>;
  readonly decisions: Map<string, number>;
  readonly told: Map<string, string>;
  facts: Facts;
}

function apply(line: Note, found: Gathered): void {
  switch (line.is) {
    case "prompt":
      found.facts = { firstPrompt: line.text, ...found.facts, prompt: line.text };
      return;
    case "intent":
      found.facts = withIntent(found.facts, line);
      return;
    case "edit":
      found.edited.delete(line.file);
      found.edited.set(line.file, true);
      if (line.hash === undefined) found.hashes.delete(line.file);
      else found.hashes.set(line.file, line.hash);
      found.facts = { ...found.facts, edits: found.facts.edits + 1 };
      return;
    case "read":
      found.reads.set(line.file, line.hash);
      return;
    case "decision":
      found.decisions.set(line.id, line.rev);
      return;
    case "told":
      found.told.set(line.file, line.hash);
      return;
    case "said":
      found.facts = { ...found.facts, said: line.text };
      return;
    case "sent":
      found.facts =
        line.what === "reads" ? { ...found.facts, sentReads: line.count } : { ...found.facts, handedOff: line.count };
      return;
  }
}

function withIntent({ intent: _before, ...facts }: Facts, line: Note & { readonly is: "intent" }): Facts {
  const { is: _is, isOver, ...intent } = line;
  return isOver ? facts : { ...facts, intent };
}

function lastLines(file: string): Note[] {
  let opened: number;
  try {
    opened = openSync(file, "r");
  } catch {
    return [];
  }
  try {
    const { size } = fstatSync(opened);
    const from = Math.max(0, size - maxBytes);
    const buffer = Buffer.alloc(size - from);
    const length = readSync(opened, buffer, 0, buffer.length, from);
    return buffer.toString("utf8", 0, length).split("\n").flatMap(parsed);
  } finally {
    closeSync(opened);
  }
}

function parsed(line: string): Note | [] {
  try {
    const value = JSON.parse(line) as Note;
    return typeof value?.is === "string" ? value : [];
  } catch {
    return [];
  }
}

export function forgetOldNotes(home: string, nowMs: number): void {
  for (const folder of [folderOf(home), join(home, "hooks", "worktrees")]) {
    let names: string[];
    try {
      names = readdirSync(folder);
    } catch {
      continue;
    }
    for (const name of names) {
      const path = join(folder, name);
      const changed = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? nowMs;
      if (nowMs - changed > keptMs) rmSync(path, { force: true });
    }
  }
}
