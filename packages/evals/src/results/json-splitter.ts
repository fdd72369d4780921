/**
 * Cuts JSON into parts while it arrives, so that a file of any size fits in memory: members of the one big object whole,
 * but the arrays named `streamed` element by element. Each part is then small enough for the platform's own parser.
 *
 * - `new JsonSplitter(options)`, `feed(bytes)` the parts that are complete now, `end()` throws when something is missing.
 *
 * It checks only the structure on the way to the parts; what is inside a part is checked by whoever parses it.
 */

export interface JsonPart {
  /** `member` of the top object; `element` of a streamed array; `document` a top value that is no object and no array. */
  readonly kind: "member" | "element" | "document";
  /** The member's name, or that of the array; null in an array at the top. */
  readonly name: string | null;
  /** The element's place in its array, else 0. */
  readonly index: number;
  /** Empty when the splitter only counts elements. */
  readonly bytes: Buffer;
  readonly facts: PartFacts;
}

/** Seen in passing, and dear to find out later. */
export interface PartFacts {
  readonly depth: number;
  /** Colons outside of strings: as many as there are names, so fewer parsed names mean a name given twice. */
  readonly names: number;
  /** A whole number of more than 15 digits, or one with an exponent, stands in it. */
  readonly hasLongNumber: boolean;
}

export class JsonBroken extends Error {
  override readonly name = "JsonBroken";
  readonly path: string;
  readonly offset: number;
  readonly isTruncated: boolean;
  constructor(problem: string, path: string, offset: number, isTruncated = false) {
    super(problem);
    this.path = path;
    this.offset = offset;
    this.isTruncated = isTruncated;
  }
}

export interface SplitterOptions {
  readonly streamed: ReadonlySet<string>;
  /** Elements are counted and their bytes forgotten. */
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

const quote = 0x22;
const backslash = 0x5c;

export class JsonSplitter {
  /** A second top value followed the first: the file is a sequence, one record a line. */
  isSequence = false;
  /** Members of the top object, in order; a name may come twice. */
  readonly names: string[] = [];
  elements = 0;

  readonly #options: SplitterOptions;
  readonly #limit: number;
  #state: State = "top";
  #isTopArray = false;
  #member = "";
  #offset = 0;
  // The value that is being scanned.
  #isScanning = false;
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
    if (this.#state === "first-element" || this.#state === "element" || this.#state === "element-comma") {
      const name = this.#isTopArray ? "" : this.#member;
      return `${name}[${this.elements}]`;
    }
    return this.#member || "the file";
  }

  feed(chunk: Buffer): JsonPart[] {
    const parts: JsonPart[] = [];
    let at = 0;
    while (at < chunk.length && !this.isSequence) {
      at = this.#isScanning ? this.#scan(chunk, at, parts) : this.#step(chunk, at);
    }
    this.#offset += chunk.length;
    return parts;
  }

  end(): JsonPart[] {
    const parts: JsonPart[] = [];
    if (this.#isScanning && this.#isPrimitive && this.#state === "top") this.#finish(parts);
    if (this.#state === "after" || this.isSequence) return parts;
    const empty = this.#state === "top" && !this.#isScanning;
    const problem = empty ? "there is nothing in it" : `it ends in the middle of ${this.path}`;
    throw new JsonBroken(problem, this.path, this.#offset, !empty);
  }

  /** Between values: one byte that matters. */
  #step(chunk: Buffer, at: number): number {
    const byte = chunk[at] as number;
    if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) return at + 1;
    switch (this.#state) {
      case "top":
        if (byte === 0x7b) this.#state = "first-name";
        else if (byte === 0x5b) {
          this.#state = "first-element";
          this.#isTopArray = true;
        } else return this.#begin(chunk, at, false);
        return at + 1;
      case "first-name":
        if (byte === 0x7d) return this.#close(at);
        return this.#expectName(chunk, at, byte);
      case "name":
        return this.#expectName(chunk, at, byte);
      case "colon":
        this.#expect(byte === 0x3a, '":"', at);
        this.#state = "value";
        return at + 1;
      case "value":
        if (byte === 0x5b && this.#options.streamed.has(this.#member)) {
          this.#state = "first-element";
          this.elements = 0;
          return at + 1;
        }
        return this.#begin(chunk, at, false);
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
        throw new JsonBroken("the splitter lost its place", this.path, this.#offset + at);
    }
  }

  #expectName(chunk: Buffer, at: number, byte: number): number {
    this.#expect(byte === quote, "a name in double quotes", at);
    return this.#begin(chunk, at, true);
  }

  #expect(isRight: boolean, expected: string, at: number): void {
    if (!isRight) throw new JsonBroken(`expected ${expected}`, this.path, this.#offset + at);
  }

  #close(at: number): number {
    this.#state = "after";
    this.#member = "";
    return at + 1;
  }

  #closeArray(at: number): number {
    this.#state = this.#isTopArray ? "after" : "comma";
    return at + 1;
  }

  #begin(chunk: Buffer, at: number, isName: boolean): number {
    const byte = chunk[at] as number;
    const isStructural = byte === 0x2c || byte === 0x3a || byte === 0x5d || byte === 0x7d;
    this.#expect(!isStructural, "a value", at);
    this.#isScanning = true;
    this.#isName = isName;
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

  /** Runs to the end of the value, or of the chunk. */
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

  /** From inside a string to behind its closing quote; long texts are crossed by the platform's own search. */
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
    // An escape at the very end of the chunk: its second byte comes with the next one.
    this.#isEscaped = at > chunk.length;
    return chunk.length;
  }

  #keep(chunk: Buffer, start: number, end: number): void {
    this.#length += end - start;
    if (this.#length > this.#limit) {
      const megabytes = Math.round(this.#limit / 1024 / 1024);
      throw new JsonBroken(`${this.path} is larger than ${megabytes} MB`, this.path, this.#offset + start);
    }
    const isForgotten = this.#options.countOnly && (this.#state === "element" || this.#state === "element-comma");
    // Copied, because the caller may use the chunk's memory again.
    if (!isForgotten) this.#pieces.push(Buffer.from(chunk.subarray(start, end)));
  }

  #take(chunk: Buffer, start: number, end: number, parts: JsonPart[]): number {
    if (this.#pieces.length === 0) {
      this.#length += end - start;
      const isForgotten = this.#options.countOnly && this.#state === "element";
      if (!isForgotten) this.#pieces.push(chunk.subarray(start, end));
    } else this.#keep(chunk, start, end);
    this.#finish(parts);
    return end;
  }

  #finish(parts: JsonPart[]): void {
    this.#isScanning = false;
    const bytes = this.#pieces.length === 1 ? (this.#pieces[0] as Buffer) : Buffer.concat(this.#pieces);
    this.#pieces = [];
    if (this.#isName) {
      this.#member = nameOf(bytes, this.path, this.#offset);
      this.names.push(this.#member);
      this.#state = "colon";
      return;
    }
    const facts = { depth: this.#maxDepth, names: this.#colons, hasLongNumber: this.#hasLongNumber };
    if (this.#state === "element") {
      if (!this.#options.countOnly) {
        const name = this.#isTopArray ? null : this.#member;
        parts.push({ kind: "element", name, index: this.elements, bytes, facts });
      }
      this.elements += 1;
      this.#state = "element-comma";
    } else if (this.#state === "value") {
      parts.push({ kind: "member", name: this.#member, index: 0, bytes, facts });
      this.#state = "comma";
    } else {
      parts.push({ kind: "document", name: null, index: 0, bytes, facts });
      this.#state = "after";
    }
  }
}

function oddBackslashes(chunk: Buffer, from: number, end: number): boolean {
  let at = end;
  while (at > from && chunk[at - 1] === backslash) at -= 1;
  return (end - at) % 2 === 1;
}

function nameOf(bytes: Buffer, path: string, offset: number): string {
  try {
    return JSON.parse(bytes.toString("utf8")) as string;
  } catch {
    throw new JsonBroken("a name is not valid JSON text", path, offset);
  }
}
