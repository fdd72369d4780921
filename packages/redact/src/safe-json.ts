/**
 * JSON that `jsonb` accepts: every text in it is safe (see `safeText`), including member names.
 *
 * - `safeJson(value)` the same value when nothing has to change, otherwise a changed copy.
 *
 * It follows what `JSON.stringify` would write: `toJSON` is called. Cycles and nesting deeper than `maxDepth` are refused
 * as `input_invalid`, because either would overflow the stack later.
 */
import { DevflowError } from "@devflow/core/errors";
import { isSafe, type Safe, safeText } from "./safe-text.ts";

export interface SafeJsonOptions {
  readonly maxDepth?: number;
}

export function safeJson<T>(value: T, { maxDepth = 256 }: SafeJsonOptions = {}): Safe<T> {
  const walk: Walk = { maxDepth, parents: new Set(), changed: false };
  const safe = visit(value, walk) as T;
  return { value: safe, changed: walk.changed };
}

interface Walk {
  readonly maxDepth: number;
  readonly parents: Set<object>;
  changed: boolean;
}

function visit(given: unknown, walk: Walk): unknown {
  if (typeof given === "string") return visitText(given, walk);
  if (typeof given !== "object" || given === null) return given;
  if (walk.parents.has(given)) throw refused("it contains itself");
  if (walk.parents.size >= walk.maxDepth) throw refused(`it is nested deeper than ${walk.maxDepth} levels`);
  walk.parents.add(given);
  const value = toJson(given);
  const safe =
    value !== given ? visit(value, walk) : Array.isArray(given) ? visitArray(given, walk) : visitMembers(given, walk);
  walk.parents.delete(given);
  return safe;
}

function visitText(text: string, walk: Walk): string {
  const safe = safeText(text);
  walk.changed ||= safe.changed;
  return safe.value;
}

function visitArray(items: readonly unknown[], walk: Walk): unknown {
  let copy: unknown[] | undefined;
  for (let index = 0; index < items.length; index++) {
    const safe = visit(items[index], walk);
    if (safe !== items[index]) copy ??= items.slice();
    if (copy) copy[index] = safe;
  }
  return copy ?? items;
}

function visitMembers(members: object, walk: Walk): object {
  const before = Object.entries(members);
  let same = true;
  const after = before.map(([name, item]): [string, unknown] => {
    const safe = visit(item, walk);
    const safeName = isSafe(name) ? name : visitText(name, walk);
    if (safe !== item || safeName !== name) same = false;
    return [safeName, safe];
  });
  if (same) return members;
  const taken = new Set(before.map(([name]) => name));
  const copies = new Map<string, number>();
  const copy = {};
  for (const [index, [name, item]] of after.entries()) {
    // Two unsafe names may become the same safe name; both must be kept.
    const free = name === before[index]?.[0] ? name : freeName(name, taken, copies);
    // Defined, not assigned: assigning a member called __proto__ would change the prototype.
    Object.defineProperty(copy, free, { value: item, enumerable: true, configurable: true, writable: true });
  }
  return copy;
}

/** Numbers names that became equal; `copies` remembers the counts, so that thousands of them stay cheap. */
function freeName(name: string, taken: Set<string>, copies: Map<string, number>): string {
  let copy = copies.get(name) ?? 1;
  let free = name;
  while (taken.has(free)) free = `${name}${++copy}`;
  copies.set(name, copy);
  taken.add(free);
  return free;
}

function toJson(value: object): unknown {
  const toJSON = (value as { toJSON?: unknown }).toJSON;
  return typeof toJSON === "function" ? toJSON.call(value, "") : value;
}

function refused(reason: string): DevflowError {
  return new DevflowError("input_invalid", {
    details: { problem: `This value cannot be stored: ${reason}.`, next: "Send a plain JSON value." },
  });
}
