/**
 * Reads a JSON file of another tool, of any size: the long arrays come item by item, everything else is one small object.
 *
 * - `streamJson(pieces, plan, …)` yields `item`s of the arrays that the plan streams, and at the end one `rest`: the root without them.
 */
import { JsonBroken, type JsonPlan, JsonSplitter, type JsonPart as SplitPart } from "../results/json-splitter.ts";
import { type ImportLimits, inMegabytes } from "../results/limits.ts";
import { refuse } from "../results/refuse.ts";
import { parseJson } from "./json-text.ts";

export type { JsonPlan };

export type JsonPart =
  | { readonly kind: "item"; readonly of: string; readonly index: number; readonly value: unknown }
  | {
      readonly kind: "rest";
      readonly value: unknown;
      readonly notNumbers: number;
      readonly repeatedKeys: readonly string[];
    };

export async function* streamJson(
  pieces: AsyncIterable<Uint8Array>,
  plan: JsonPlan,
  name: string,
  limits: ImportLimits,
): AsyncGenerator<JsonPart> {
  const splitter = new JsonSplitter({ plan, maxPartBytes: limits.recordBytes });
  const rest = new Rest(name, limits);
  let notNumbers = 0;
  const read = (part: SplitPart): unknown => {
    const place = placeOf(name, part);
    if (part.facts.depth > limits.depth) throw tooDeep(place, limits);
    const parsed = parseJson(part.bytes, place);
    notNumbers += parsed.notNumbers;
    return parsed.value;
  };
  for await (const piece of pieces) {
    const chunk = Buffer.from(piece.buffer, piece.byteOffset, piece.length);
    for (const part of split(() => splitter.feed(chunk), name, limits)) {
      if (part.kind === "element") yield { kind: "item", of: part.name ?? "", index: part.index, value: read(part) };
      else rest.add(part, read);
    }
  }
  for (const part of split(() => splitter.end(), name, limits)) rest.add(part, read);
  if (splitter.isSequence)
    throw refuse(`${name} is not JSON: the end of the file was expected after the first value.`, writeAgain);
  yield { kind: "rest", value: rest.value, notNumbers, repeatedKeys: splitter.repeated };
}

/** Everything that is not streamed, put together again. */
class Rest {
  value: unknown;
  readonly #name: string;
  readonly #limits: ImportLimits;
  #held = 0;

  constructor(name: string, limits: ImportLimits) {
    this.#name = name;
    this.#limits = limits;
  }

  add(part: SplitPart, read: (part: SplitPart) => unknown): void {
    this.#held += part.bytes.length;
    if (this.#held > this.#limits.recordBytes) {
      const size = inMegabytes(this.#limits.recordBytes);
      const problem = `${this.#name} has a header of more than ${size} beside its results (at ${part.name ?? "the top"}).`;
      throw refuse(problem, "Leave the configuration and traces out when exporting.");
    }
    // No prototype: a member called __proto__ is a member.
    const value = part.kind === "object" ? Object.create(null) : part.kind === "list" ? [] : read(part);
    const last = part.steps.at(-1);
    if (last === undefined) this.value = value;
    else this.#at(part.steps.slice(0, -1))[last] = value;
  }

  #at(steps: readonly string[]): Record<string, unknown> {
    return steps.reduce((value, step) => value[step] as Record<string, unknown>, this.value as Record<string, unknown>);
  }
}

function split(work: () => readonly SplitPart[], name: string, limits: ImportLimits): readonly SplitPart[] {
  try {
    return work();
  } catch (error) {
    if (error instanceof JsonBroken) throw refusalOf(error, name, limits);
    throw error;
  }
}

const writeAgain = "Write the file again with the tool that made it.";

function refusalOf(error: JsonBroken, name: string, limits: ImportLimits) {
  switch (error.kind) {
    case "truncated":
      return refuse(
        `${name} is cut off after ${error.offset} bytes: ${error.message}.`,
        "Let the tool write it to the end, or export it again.",
        error,
      );
    case "too large":
      return refuse(
        `${name} holds a record of more than ${inMegabytes(limits.recordBytes)} at byte ${error.offset}.`,
        "Leave traces and attachments out when exporting.",
        error,
      );
    case "wrong":
      return refuse(
        `${name} is not JSON at byte ${error.offset} (${error.path}): ${error.message}.`,
        writeAgain,
        error,
      );
  }
}

function tooDeep(place: string, limits: ImportLimits) {
  const next = "No eval tool writes that; look at the file before importing it.";
  return refuse(`${place} nests deeper than ${limits.depth} levels.`, next);
}

function placeOf(name: string, { kind, name: path, index }: SplitPart): string {
  if (kind === "element") return `${name}, ${path ?? ""}[${index}]`;
  return path === null ? name : `${name}, ${path}`;
}
