/**
 * Reads a JSON file of any size: the long arrays come item by item, everything else is one small object.
 *
 * - `streamJson(pieces, plan, …)` yields `item`s of the arrays that the plan streams, and at the end one `rest`: the root without them.
 *
 * A plan follows the file's own shape: `{ results: { results: "stream", table: "skip" } }`. Members that the plan does not name are kept.
 */

import type { ImportLimits } from "../results/limits.ts";
import { refuse } from "../results/refuse.ts";
import { JsonBytes } from "./json-bytes.ts";
import { decodeUtf8, parseJson } from "./json-text.ts";

export type JsonPlan = "stream" | "skip" | { readonly [member: string]: JsonPlan };

export type JsonPart =
  | { readonly kind: "item"; readonly of: string; readonly index: number; readonly value: unknown }
  | {
      readonly kind: "rest";
      readonly value: unknown;
      readonly notNumbers: number;
      readonly repeatedKeys: readonly string[];
    };

const opens = { object: 123, array: 91 };
const closes = { object: 125, array: 93 };
const comma = 44;
const colon = 58;

export async function* streamJson(
  pieces: AsyncIterable<Uint8Array>,
  plan: JsonPlan,
  name: string,
  limits: ImportLimits,
): AsyncGenerator<JsonPart> {
  const bytes = new JsonBytes(pieces, name, limits);
  const state = { bytes, name, limits, held: 0, notNumbers: 0, repeatedKeys: [] as string[] };
  try {
    const value = yield* read(state, plan, "");
    const after = await bytes.peek();
    if (after !== -1) throw misplaced(state, after, "the end of the file");
    yield { kind: "rest", value, notNumbers: state.notNumbers, repeatedKeys: state.repeatedKeys };
  } finally {
    await bytes.close();
  }
}

interface Reading {
  readonly bytes: JsonBytes;
  readonly name: string;
  readonly limits: ImportLimits;
  held: number;
  notNumbers: number;
  readonly repeatedKeys: string[];
}

async function* read(state: Reading, plan: JsonPlan | undefined, path: string): AsyncGenerator<JsonPart, unknown> {
  const first = await state.bytes.peek();
  if (plan === "skip") {
    await state.bytes.skip();
    return undefined;
  }
  if (plan === "stream" && first === opens.array) return yield* readArray(state, path);
  if (typeof plan === "object" && first === opens.object) return yield* readObject(state, plan, path);
  return keep(state, path);
}

async function* readArray(state: Reading, path: string): AsyncGenerator<JsonPart, unknown[]> {
  const { bytes } = state;
  bytes.take();
  if ((await bytes.peek()) === closes.array) {
    bytes.take();
    return [];
  }
  for (let index = 0; ; index += 1) {
    const parsed = parseJson(await bytes.value(), placeOf(state, `${path}[${index}]`));
    state.notNumbers += parsed.notNumbers;
    yield { kind: "item", of: path, index, value: parsed.value };
    const next = await bytes.peek();
    if (next !== comma && next !== closes.array) throw misplaced(state, next, `"," or "]" in ${path || "the array"}`);
    bytes.take();
    if (next === closes.array) return [];
  }
}

async function* readObject(
  state: Reading,
  plan: { readonly [member: string]: JsonPlan },
  path: string,
): AsyncGenerator<JsonPart, Record<string, unknown>> {
  const { bytes } = state;
  // No prototype: a member called __proto__ is a member.
  const members: Record<string, unknown> = Object.create(null);
  bytes.take();
  if ((await bytes.peek()) === closes.object) {
    bytes.take();
    return members;
  }
  for (;;) {
    const key = await readKey(state, path);
    const inside = path === "" ? key : `${path}.${key}`;
    if (key in members) state.repeatedKeys.push(inside);
    members[key] = yield* read(state, Object.hasOwn(plan, key) ? plan[key] : undefined, inside);
    const next = await bytes.peek();
    if (next !== comma && next !== closes.object) throw misplaced(state, next, `"," or "}" in ${path || "the object"}`);
    bytes.take();
    if (next === closes.object) return members;
  }
}

async function readKey(state: Reading, path: string): Promise<string> {
  const { bytes } = state;
  const first = await bytes.peek();
  if (first !== 34) throw misplaced(state, first, `the name of a member in ${path || "the object"}`);
  const key = String(parseJson(await bytes.value(), placeOf(state, path)).value);
  const next = await bytes.peek();
  if (next !== colon) throw misplaced(state, next, `":" after ${JSON.stringify(key)}`);
  bytes.take();
  return key;
}

async function keep(state: Reading, path: string): Promise<unknown> {
  const raw = await state.bytes.value();
  state.held += raw.length;
  if (state.held > state.limits.recordBytes) {
    throw refuse(
      `${state.name} has a header of more than ${Math.round(state.limits.recordBytes / 1024 / 1024)} MB beside its results (at ${path}).`,
      "Leave the configuration and traces out when exporting.",
    );
  }
  const parsed = parseJson(raw, placeOf(state, path));
  state.notNumbers += parsed.notNumbers;
  return parsed.value;
}

function placeOf(state: Reading, path: string): string {
  return path === "" ? state.name : `${state.name}, ${path}`;
}

function misplaced(state: Reading, byte: number, expected: string) {
  if (byte === -1) {
    return refuse(
      `${state.name} is cut off after ${state.bytes.offset} bytes: ${expected} was expected.`,
      "Let the tool write it to the end, or export it again.",
    );
  }
  const found = decodeUtf8(Uint8Array.of(byte < 128 ? byte : 63), state.name);
  return refuse(
    `${state.name} is not JSON at byte ${state.bytes.offset}: ${expected} was expected, not ${JSON.stringify(found)}.`,
    "Write the file again with the tool that made it.",
  );
}
