/**
 * Devflow's hooks in the text of a settings file. They are recognised by their marker and by nothing else, and every other byte stays.
 *
 * - `withEntries(text, entries)` the text with exactly these entries of Devflow's.
 * - `withoutEntries(text)` the text without any.
 * - `entriesIn(text)` those that are there; `isSame(a, b)` compares them.
 *
 * All throw `JsonFault` for a text that is no settings file, and then nothing was changed.
 */
import { JsonFault, type JsonMember, type JsonNode, parseTree, plainValue, skipSpace } from "./json-tree.ts";

export interface HookEntry {
  /** The host's name for it: `PreToolUse`. */
  readonly event: string;
  /** Which tools, or how a session began; absent: all. */
  readonly matcher?: string;
  readonly command: string;
  /** In the host's unit. */
  readonly timeout: number;
  /** The host does not wait for it. */
  readonly async?: boolean;
}

const marker = "_devflow";
const markerValue = "v1";

export function withEntries(text: string, entries: readonly HookEntry[]): string {
  if (isSame(entriesIn(text), entries)) return text;
  let result = withoutEntries(text);
  for (const entry of entries) result = insertEntry(result, entry);
  return result;
}

/** In whatever order: a file has an order of its own. */
export function isSame(a: readonly HookEntry[], b: readonly HookEntry[]): boolean {
  const sorted = (entries: readonly HookEntry[]) =>
    entries
      .map(({ event, matcher, command, timeout, async }) => [event, matcher, command, timeout, async].join("\0"))
      .sort();
  return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
}

export function withoutEntries(text: string): string {
  let result = text;
  for (;;) {
    const found = findOwn(result);
    if (!found) return result;
    result = found;
  }
}

export function entriesIn(text: string): HookEntry[] {
  return eventsOf(text).flatMap(({ name: event, value }) =>
    itemsOf(value).flatMap((group) => {
      const { matcher, hooks } = plainValue(group) as { matcher?: unknown; hooks?: unknown };
      const own = (Array.isArray(hooks) ? hooks : []).filter((hook) => hook?.[marker] !== undefined);
      return own.map((hook) => ({
        event,
        ...(typeof matcher === "string" ? { matcher } : {}),
        command: String(hook.command),
        timeout: Number(hook.timeout),
        ...(hook.async === true ? { async: true } : {}),
      }));
    }),
  );
}

function groupOf({ matcher, command, timeout, async = false }: HookEntry): object {
  const hook = {
    type: "command",
    command,
    timeout,
    ...(async ? { async } : {}),
    [marker]: markerValue,
  };
  return { ...(matcher === undefined ? {} : { matcher }), hooks: [hook] };
}

function rootOf(text: string): Extract<JsonNode, { kind: "object" }> | undefined {
  const root = parseTree(text);
  if (root && root.kind !== "object") throw new JsonFault(text, root.start, "expected an object");
  return root;
}

function hooksOf(text: string): Extract<JsonNode, { kind: "object" }> | undefined {
  const hooks = rootOf(text)?.members.find(({ name }) => name === "hooks")?.value;
  if (hooks && hooks.kind !== "object") throw new JsonFault(text, hooks.start, "hooks: expected an object");
  return hooks;
}

function eventsOf(text: string): readonly JsonMember[] {
  const events = hooksOf(text)?.members ?? [];
  for (const { name, value } of events) {
    if (value.kind !== "list") throw new JsonFault(text, value.start, `hooks.${name}: expected a list`);
  }
  return events;
}

const itemsOf = (node: JsonNode): readonly JsonNode[] => (node.kind === "list" ? node.items : []);

function insertEntry(text: string, entry: HookEntry): string {
  const group = groupOf(entry);
  const root = rootOf(text);
  if (!root) return `${text}${JSON.stringify({ hooks: { [entry.event]: [group] } }, null, 2)}\n`;
  const hooks = hooksOf(text);
  if (!hooks) return insertInto(text, root, { hooks: { [entry.event]: [group] } });
  const list = eventsOf(text).find(({ name }) => name === entry.event)?.value;
  return list ? insertInto(text, list, group) : insertInto(text, hooks, { [entry.event]: [group] });
}

/** At the end: an item of a list, or the one member of `value` into an object. */
function insertInto(text: string, into: JsonNode, value: object): string {
  const parts = into.kind === "list" ? into.items : into.kind === "object" ? into.members : [];
  const last = parts.at(-1);
  const before = text.slice(0, into.end - 1);
  const isOneLine = last !== undefined && !text.slice(into.start, into.end).includes("\n");
  const indent = last ? indentAt(text, last.start) : indentAt(text, into.start) + unitOf(text);
  const written = writtenAs(value, into.kind === "object", isOneLine ? undefined : { indent, unit: unitOf(text) });
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const body = written.replaceAll("\n", eol);
  if (!last) {
    // Empty brackets: a comment in them stays in front.
    const kept = before.trimEnd();
    return `${kept}${eol}${indent}${body}${eol}${indentAt(text, into.start)}${text.slice(into.end - 1)}`;
  }
  const comma = hasComma(text, last.end) ? "" : ",";
  const tail = text.slice(last.end, into.end - 1);
  const kept = tail.trimEnd();
  const space = tail.slice(kept.length);
  const gap = isOneLine ? " " : `${eol}${indent}`;
  return `${text.slice(0, last.end)}${comma}${kept}${gap}${body}${space}${text.slice(into.end - 1)}`;
}

function writtenAs(value: object, isMember: boolean, layout: { indent: string; unit: string } | undefined): string {
  const text = layout ? JSON.stringify(value, null, layout.unit) : JSON.stringify(value);
  if (!isMember) return layout ? text.replaceAll("\n", `\n${layout.indent}`) : text;
  // Without the brackets around the one member, and one step to the left.
  if (!layout) return text.slice(1, -1);
  const lines = text
    .split("\n")
    .slice(1, -1)
    .map((line) => line.slice(layout.unit.length));
  return lines.join(`\n${layout.indent}`);
}

/** The white space that the line of this place begins with. */
function indentAt(text: string, at: number): string {
  const line = text.slice(text.lastIndexOf("\n", at - 1) + 1, at);
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}

/** One step of indentation, as the file has it. */
function unitOf(text: string): string {
  return /\n([ \t]+)\S/.exec(text)?.[1] ?? "  ";
}

function hasComma(text: string, from: number): boolean {
  const reader = { text, at: from };
  skipSpace(reader);
  return text[reader.at] === ",";
}

/** The text without the first thing of ours that is in it. */
function findOwn(text: string): string | undefined {
  const hooks = hooksOf(text);
  const events = eventsOf(text);
  for (const event of events) {
    for (const group of itemsOf(event.value)) {
      const list = group.kind === "object" ? group.members.find(({ name }) => name === "hooks")?.value : undefined;
      const own = list && itemsOf(list).find(isOwn);
      if (!list || !own) continue;
      if (itemsOf(list).length > 1) return removeFrom(text, list, own);
      if (itemsOf(event.value).length > 1) return removeFrom(text, event.value, group);
      if (hooks && events.length > 1) return removeFrom(text, hooks, event);
      const root = rootOf(text);
      const member = root?.members.find(({ name }) => name === "hooks");
      return root && member && removeFrom(text, root, member);
    }
  }
  return undefined;
}

function isOwn(node: JsonNode): boolean {
  return node.kind === "object" && node.members.some(({ name }) => name === marker);
}

/** With the comma that it needed and the white space in front of it; comments stay. */
function removeFrom(text: string, from: JsonNode, part: { readonly start: number; readonly end: number }): string {
  const parts = from.kind === "list" ? from.items : from.kind === "object" ? from.members : [];
  const at = parts.findIndex(({ start }) => start === part.start);
  const before = text.slice(0, part.start).trimEnd();
  if (at < parts.length - 1) {
    const comma = commaAfter(text, part.end);
    return `${before}${text.slice(comma + 1)}`;
  }
  const previous = parts[at - 1];
  if (!previous) {
    const after = text.slice(hasComma(text, part.end) ? commaAfter(text, part.end) + 1 : part.end);
    return before.endsWith("{") || before.endsWith("[") ? `${before}${after.trimStart()}` : `${before}${after}`;
  }
  // The last one: the comma behind the one before it goes, unless there is one behind this one too.
  const after = text.slice(part.end);
  if (hasComma(text, part.end)) return `${before}${text.slice(commaAfter(text, part.end) + 1)}`;
  const comma = commaAfter(text, previous.end);
  return `${text.slice(0, comma)}${before.slice(comma + 1)}${after}`;
}

function commaAfter(text: string, from: number): number {
  const reader = { text, at: from };
  skipSpace(reader);
  return reader.at;
}
