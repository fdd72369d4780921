/**
 * Splits streamed JSON into parts, so that files of any size can be read: members as a whole, the arrays that the plan streams
 * element by element, and skipped members not at all. Each part is small enough for `JSON.parse`. Used for Devflow's format
 * and those of other tools.
 *
 * - `new JsonSplitter(options)`, `feed(bytes)` returns the parts that are complete, `end()` throws if something is missing.
 *
 * A plan has the shape of the file: `{ results: { results: "stream", table: "skip" } }`. Members that the plan does not name
 * are separate parts; a value of another type than planned is kept as it is.
 *
 * It checks only the structure around the parts; the contents are checked when a part is parsed.
 */

export type JsonPlan = "stream" | "skip" | { readonly [member: string]: JsonPlan };

export interface JsonPart {
  /**
   * `member`: a value that is not split further. `element`: of a streamed array. `document`: a top-level value that is not
   * split. `object` and `list`: the start of a split value, whose parts follow.
   */
  readonly kind: "member" | "element" | "document" | "object" | "list";
  /** The path to the member or the array; empty at the top level. */
  readonly steps: readonly string[];
  /** The path as one string; null at the top level. */
  readonly name: string | null;
  /** The element's index in its array, else 0. */
  readonly index: number;
  /** Empty if the splitter only counts elements. */
  readonly bytes: Buffer;
  readonly facts: PartFacts;
}

/** Collected while splitting, because it would be expensive to find out later. */
export interface PartFacts {
  readonly depth: number;
  /** Colons outside strings, one per name: if fewer names are parsed, a name occurs twice. */
  readonly names: number;
  /** Whether it contains a whole number with more than 15 digits or a number with an exponent. */
  readonly hasLongNumber: boolean;
}

export class JsonBroken extends Error {
  override readonly name = "JsonBroken";
  readonly path: string;
  readonly offset: number;
  readonly kind: "wrong" | "truncated" | "too large";
  constructor(problem: string, path: string, offset: number, kind: JsonBroken["kind"] = "wrong") {
    super(problem);
    this.path = path;
    this.offset = offset;
    this.kind = kind;
  }
}

export interface SplitterOptions {
  readonly plan: JsonPlan;
  /** A top-level array is streamed, regardless of the plan. */
  readonly streamsTop?: boolean;
  /** Elements are counted and their bytes dropped. */
  readonly countOnly?: boolean;
  readonly maxPartBytes?: number;
}

type State =
  | "top"
  | "first-name"
  | "name"
  | "colon"
  | "value"
  | "comma"
  | "first-element"
  | "element"
  | "element-comma"
  | "after";

/** An object that is being split. */
interface Frame {
  readonly plan: { readonly [member: string]: JsonPlan };
  readonly steps: readonly string[];
  readonly names: Set<string>;
}

const quote = 0x22;
const backslash = 0x5c;
const noFacts: PartFacts = { depth: 0, names: 0, hasLongNumber: false };
const noBytes = Buffer.alloc(0);

export class JsonSplitter {
  /** A second top-level value followed the first: the file has one record per line. */
  isSequence = false;
  /** Members of the top-level object, in order; names may repeat. */
  readonly names: string[] = [];
  /** Paths of the members of split objects that occur twice. */
  readonly repeated: string[] = [];
  elements = 0;

  readonly #options: SplitterOptions;
  readonly #limit: number;
  #state: State = "top";
  readonly #frames: Frame[] = [];
  /** The path to the array that is being streamed; its elements are not split, so there is at most one. */
  #array: readonly string[] | null = null;
  #member = "";
  #offset = 0;
  // The value that is being scanned.
  #isScanning = false;
  #isSkipped = false;
  #start = 0;
  #isName = false;
  #pieces: Buffer[] = [];
  #length = 0;
  #depth = 0;
  #maxDepth = 0;
  #colons = 0;
  #digits = 0;
  #beforeDigits = 0;
  #hasLongNumber = false;
  #inString = false;
  #isEscaped = false;
  #isPrimitive = false;

  constructor(options: SplitterOptions) {
    this.#options = options;
    this.#limit = options.maxPartBytes ?? 64 * 1024 * 1024;
  }

  get path(): string {
    if (this.#array) return `${this.#array.join(".")}[${this.elements}]`;
    return this.#wayTo(this.#member).filter(Boolean).join(".") || "the file";
  }

  feed(chunk: Buffer): JsonPart[] {
    const parts: JsonPart[] = [];
    let at = 0;
    while (at < chunk.length && !this.isSequence) {
      at = this.#isScanning ? this.#scan(chunk, at, parts) : this.#step(chunk, at, parts);
    }
    this.#offset += chunk.length;
    return parts;
  }

  end(): JsonPart[] {
    const parts: JsonPart[] = [];
    if (this.#isScanning && this.#isPrimitive && this.#state === "top") this.#finish(parts);
    if (this.#state === "after" || this.isSequence) return parts;
    const empty = this.#state === "top" && !this.#isScanning;
    const problem = empty ? "it is empty" : `it ends in the middle of ${this.path}`;
    throw new JsonBroken(problem, this.path, this.#offset, "truncated");
  }

  /** Handles one significant byte between values. */
  #step(chunk: Buffer, at: number, parts: JsonPart[]): number {
    const byte = chunk[at] as number;
    if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) return at + 1;
    switch (this.#state) {
      case "top":
        return this.#open(chunk, at, this.#topPlan(byte), [], parts);
      case "first-name":
        if (byte === 0x7d) return this.#close(at);
        return this.#expectName(chunk, at, byte);
      case "name":
        return this.#expectName(chunk, at, byte);
      case "colon":
        this.#expect(byte === 0x3a, '":"', at);
        this.#state = "value";
        return at + 1;
      case "value": {
        const plan = this.#frames.at(-1)?.plan ?? {};
        const own = Object.hasOwn(plan, this.#member) ? plan[this.#member] : undefined;
        return this.#open(chunk, at, own, this.#wayTo(this.#member), parts);
      }
      case "comma":
        if (byte === 0x7d) return this.#close(at);
        this.#expect(byte === 0x2c, '"," or "}"', at);
        this.#state = "name";
        return at + 1;
      case "first-element":
        if (byte === 0x5d) return this.#closeArray(at);
        this.#state = "element";
        return this.#begin(chunk, at, false);
      case "element":
        return this.#begin(chunk, at, false);
      case "element-comma":
        if (byte === 0x5d) return this.#closeArray(at);
        this.#expect(byte === 0x2c, '"," or "]"', at);
        this.#state = "element";
        return at + 1;
      case "after":
        this.#expect(byte === 0x7b || byte === 0x5b, "the end of the file", at);
        this.isSequence = true;
        return at;
      default:
        throw new JsonBroken("unexpected splitter state", this.path, this.#offset + at);
    }
  }

  #topPlan(byte: number): JsonPlan | undefined {
    return byte === 0x5b && this.#options.streamsTop ? "stream" : this.#options.plan;
  }

  #wayTo(member: string): readonly string[] {
    return [...(this.#frames.at(-1)?.steps ?? []), member];
  }

  /** Starts a value: splits it if the plan says so and it has that type, otherwise reads to its end. */
  #open(chunk: Buffer, at: number, plan: JsonPlan | undefined, steps: readonly string[], parts: JsonPart[]): number {
    const byte = chunk[at] as number;
    if (byte === 0x5b && plan === "stream") {
      this.#state = "first-element";
      this.#array = steps;
      this.elements = 0;
      parts.push(beginning("list", steps));
      return at + 1;
    }
    if (byte === 0x7b && typeof plan === "object") {
      this.#state = "first-name";
      this.#frames.push({ plan, steps, names: new Set() });
      parts.push(beginning("object", steps));
      return at + 1;
    }
    return this.#begin(chunk, at, false, plan === "skip");
  }

  #expectName(chunk: Buffer, at: number, byte: number): number {
    this.#expect(byte === quote, "a name in double quotes", at);
    return this.#begin(chunk, at, true);
  }

  #expect(isRight: boolean, expected: string, at: number): void {
    if (!isRight) throw new JsonBroken(`expected ${expected}`, this.path, this.#offset + at);
  }

  #close(at: number): number {
    const closed = this.#frames.pop();
    this.#member = closed?.steps.at(-1) ?? "";
    this.#state = this.#frames.length === 0 ? "after" : "comma";
    return at + 1;
  }

  #closeArray(at: number): number {
    this.#array = null;
    this.#state = this.#frames.length === 0 ? "after" : "comma";
    return at + 1;
  }

  #begin(chunk: Buffer, at: number, isName: boolean, isSkipped = false): number {
    const byte = chunk[at] as number;
    const isStructural = byte === 0x2c || byte === 0x3a || byte === 0x5d || byte === 0x7d;
    this.#expect(!isStructural, "a value", at);
    this.#isScanning = true;
    this.#isName = isName;
    this.#isSkipped = isSkipped;
    this.#start = this.#offset + at;
    this.#pieces = [];
    this.#length = 0;
    this.#depth = 0;
    this.#maxDepth = 0;
    this.#colons = 0;
    this.#digits = 0;
    this.#beforeDigits = 0;
    this.#hasLongNumber = false;
    this.#inString = false;
    this.#isEscaped = false;
    this.#isPrimitive = byte !== quote && byte !== 0x7b && byte !== 0x5b;
    return at;
  }

  /** Reads to the end of the value, or of the chunk. */
  #scan(chunk: Buffer, start: number, parts: JsonPart[]): number {
    const end = chunk.length;
    let at = start;
    while (at < end) {
      if (this.#inString) {
        at = this.#skipString(chunk, at);
        if (this.#inString) break;
        if (this.#depth === 0) return this.#take(chunk, start, at, parts);
        continue;
      }
      const byte = chunk[at] as number;
      if (byte >= 0x30 && byte <= 0x39) {
        if (this.#digits === 0) this.#beforeDigits = at > 0 ? (chunk[at - 1] as number) : 0;
        this.#digits += 1;
        at += 1;
        continue;
      }
      if (this.#digits > 0) {
        const isExponent = byte === 0x65 || byte === 0x45;
        if (isExponent || (this.#digits > 15 && byte !== 0x2e && this.#beforeDigits !== 0x2e))
          this.#hasLongNumber = true;
        this.#digits = 0;
      }
      if (byte === quote) {
        this.#inString = true;
        at += 1;
      } else if (byte === 0x7b || byte === 0x5b) {
        this.#depth += 1;
        if (this.#depth > this.#maxDepth) this.#maxDepth = this.#depth;
        at += 1;
      } else if (byte === 0x7d || byte === 0x5d) {
        if (this.#isPrimitive) return this.#take(chunk, start, at, parts);
        this.#depth -= 1;
        at += 1;
        if (this.#depth === 0) return this.#take(chunk, start, at, parts);
      } else if (byte === 0x3a) {
        this.#colons += 1;
        at += 1;
      } else if (this.#isPrimitive && (byte === 0x2c || byte === 0x20 || (byte <= 0x0d && byte >= 0x09))) {
        return this.#take(chunk, start, at, parts);
      } else {
        at += 1;
      }
    }
    this.#keep(chunk, start, end);
    return end;
  }

  /** Moves past the closing quote of a string, with the built-in search for long strings. */
  #skipString(chunk: Buffer, start: number): number {
    let at = start;
    if (this.#isEscaped) {
      this.#isEscaped = false;
      at += 1;
    }
    const near = Math.min(chunk.length, at + 48);
    while (at < chunk.length) {
      if (at >= near) {
        const found = chunk.indexOf(quote, at);
        const stop = found === -1 ? chunk.length : found;
        const isEscaped = oddBackslashes(chunk, at, stop);
        if (found === -1) {
          this.#isEscaped = isEscaped;
          return chunk.length;
        }
        at = found + 1;
        if (isEscaped) continue;
        this.#inString = false;
        return at;
      }
      const byte = chunk[at] as number;
      if (byte === quote) {
        this.#inString = false;
        return at + 1;
      }
      at += byte === backslash ? 2 : 1;
    }
    // An escape at the end of the chunk: its second byte is in the next one.
    this.#isEscaped = at > chunk.length;
    return chunk.length;
  }

  #keep(chunk: Buffer, start: number, end: number): void {
    this.#measure(end - start);
    // Copied, because the caller may reuse the chunk's memory.
    if (!this.#isForgotten()) this.#pieces.push(Buffer.from(chunk.subarray(start, end)));
  }

  #measure(bytes: number): void {
    this.#length += bytes;
    if (this.#isSkipped || this.#length <= this.#limit) return;
    const megabytes = Math.round(this.#limit / 1024 / 1024);
    const problem = `${this.path} is larger than ${megabytes} MB`;
    throw new JsonBroken(problem, this.path, this.#start, "too large");
  }

  #isForgotten(): boolean {
    return this.#isSkipped || (this.#options.countOnly === true && this.#state === "element");
  }

  #take(chunk: Buffer, start: number, end: number, parts: JsonPart[]): number {
    if (this.#pieces.length === 0) {
      this.#measure(end - start);
      if (!this.#isForgotten()) this.#pieces.push(chunk.subarray(start, end));
    } else this.#keep(chunk, start, end);
    this.#finish(parts);
    return end;
  }

  #finish(parts: JsonPart[]): void {
    this.#isScanning = false;
    const bytes = this.#pieces.length === 1 ? (this.#pieces[0] as Buffer) : Buffer.concat(this.#pieces);
    this.#pieces = [];
    if (this.#isName) {
      this.#nameMember(nameOf(bytes, this.path, this.#offset));
      return;
    }
    const facts = { depth: this.#maxDepth, names: this.#colons, hasLongNumber: this.#hasLongNumber };
    if (this.#state === "element") {
      const steps = this.#array ?? [];
      if (!this.#options.countOnly) parts.push(partOf("element", steps, this.elements, bytes, facts));
      this.elements += 1;
      this.#state = "element-comma";
    } else if (this.#state === "value") {
      if (!this.#isSkipped) parts.push(partOf("member", this.#wayTo(this.#member), 0, bytes, facts));
      this.#state = "comma";
    } else {
      if (!this.#isSkipped) parts.push(partOf("document", [], 0, bytes, facts));
      this.#state = "after";
    }
  }

  #nameMember(name: string): void {
    const frame = this.#frames.at(-1);
    this.#member = name;
    if (this.#frames.length === 1) this.names.push(name);
    if (frame?.names.has(name)) this.repeated.push(this.#wayTo(name).join("."));
    frame?.names.add(name);
    this.#state = "colon";
  }
}

function partOf(
  kind: JsonPart["kind"],
  steps: readonly string[],
  index: number,
  bytes: Buffer,
  facts: PartFacts,
): JsonPart {
  return { kind, steps, name: steps.length === 0 ? null : steps.join("."), index, bytes, facts };
}

const beginning = (kind: "object" | "list", steps: readonly string[]): JsonPart =>
  partOf(kind, steps, 0, noBytes, noFacts);

function oddBackslashes(chunk: Buffer, from: number, end: number): boolean {
  let at = end;
  while (at > from && chunk[at - 1] === backslash) at -= 1;
  return (end - at) % 2 === 1;
}

function nameOf(bytes: Buffer, path: string, offset: number): string {
  try {
    return JSON.parse(bytes.toString("utf8")) as string;
  } catch {
    throw new JsonBroken("a name is not a valid JSON string", path, offset);
  }
}
