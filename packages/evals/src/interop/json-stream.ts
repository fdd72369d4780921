/**
 * Streams a JSON file of any size: the long arrays item by item, everything else as one small object.
 *
 * - `streamJson(pieces, plan, …)` yields the `item`s of the arrays that the plan streams, and at the end one `rest`: the root without them.
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
    const place = pathOf(name, part);
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
    throw refuse(`${name} is not valid JSON: the end of the file was expected after the first value.`, writeAgain);
  yield { kind: "rest", value: rest.value, notNumbers, repeatedKeys: splitter.repeated };
}

/** Everything that is not streamed, reassembled. */
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
      const problem = `${this.#name} has more than ${size} of data in addition to its results (at ${part.name ?? "the top level"}).`;
      throw refuse(problem, "Export it without configuration and traces.");
    }
    // No prototype, so that a member called __proto__ is an ordinary member.
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

const writeAgain = "Create the file again with the tool that wrote it.";

function refusalOf(error: JsonBroken, name: string, limits: ImportLimits) {
  switch (error.kind) {
    case "truncated":
      return refuse(
        `${name} is truncated after ${error.offset} bytes: ${error.message}.`,
        "Wait until the tool has finished, or export it again.",
        error,
      );
    case "too large":
      return refuse(
        `${name} contains a record of more than ${inMegabytes(limits.recordBytes)} at byte ${error.offset}.`,
        "Export it without traces and attachments.",
        error,
      );
    case "wrong":
      return refuse(
        `${name} is not valid JSON at byte ${error.offset} (${error.path}): ${error.message}.`,
        writeAgain,
        error,
      );
  }
}

function tooDeep(place: string, limits: ImportLimits) {
  const next = "No eval tool writes that; check the file before importing it.";
  return refuse(`${place} is nested deeper than ${limits.depth} levels.`, next);
}

function pathOf(name: string, { kind, name: path, index }: SplitPart): string {
  if (kind === "element") return `${name}, ${path ?? ""}[${index}]`;
  return path === null ? name : `${name}, ${path}`;
}
