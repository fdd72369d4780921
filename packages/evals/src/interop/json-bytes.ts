/**
 * Finds where JSON values begin and end in a stream of bytes, holding only the value being read.
 *
 * - `peek()` the next byte that is not blank, -1 at the end; `take()` reads it away.
 * - `value()` the bytes of the next whole value, good until the next call; `skip()` passes over it without holding it.
 *
 * It counts brackets and knows strings; whether the value is right JSON is for the parser to say.
 */
import { type ImportLimits, inMegabytes } from "../results/limits.ts";
import { refuse } from "../results/refuse.ts";

const quote = 34;
const backslash = 92;

export class JsonBytes {
  private buffer = new Uint8Array(0);
  private begin = 0;
  private end = 0;
  private passed = 0;
  private readonly pieces: AsyncIterator<Uint8Array>;

  private readonly name: string;
  private readonly limits: Pick<ImportLimits, "recordBytes" | "depth">;

  constructor(pieces: AsyncIterable<Uint8Array>, name: string, limits: Pick<ImportLimits, "recordBytes" | "depth">) {
    this.name = name;
    this.limits = limits;
    this.pieces = pieces[Symbol.asyncIterator]();
  }

  /** How many bytes were read away: the place to name in a complaint. */
  get offset(): number {
    return this.passed + this.begin;
  }

  async peek(): Promise<number> {
    for (;;) {
      while (this.begin < this.end) {
        const byte = this.buffer[this.begin]!;
        if (byte !== 32 && byte !== 10 && byte !== 13 && byte !== 9) {
          if (byte !== 0xef || this.offset !== 0 || !(await this.passMark())) return byte;
        } else this.begin += 1;
      }
      if (!(await this.more())) return -1;
    }
  }

  take(): void {
    this.begin += 1;
  }

  value(): Promise<Uint8Array> {
    return this.walk(true);
  }

  async skip(): Promise<void> {
    await this.walk(false);
  }

  async close(): Promise<void> {
    await this.pieces.return?.();
  }

  private async walk(hold: boolean): Promise<Uint8Array> {
    const first = await this.peek();
    if (first === -1) throw this.cutOff();
    let at = this.begin;
    let depth = 0;
    let inString = false;
    for (;;) {
      if (at >= this.end) {
        // What is passed over is let go, but for backslashes that decide whether the next quote ends the string.
        if (!hold) this.begin = inString ? at - this.backslashesBefore(at) : at;
        if (at - this.begin > this.limits.recordBytes) throw this.tooLarge();
        const before = this.begin;
        const grew = await this.more();
        at -= before - this.begin;
        if (!grew) {
          if (depth > 0 || inString) throw this.cutOff();
          break;
        }
      }
      if (inString) {
        const close = this.buffer.subarray(0, this.end).indexOf(quote, at);
        if (close === -1) {
          at = this.end;
          continue;
        }
        at = close + 1;
        if (this.backslashesBefore(close) % 2 === 1) continue;
        inString = false;
        if (depth === 0) break;
        continue;
      }
      const byte = this.buffer[at]!;
      if (byte === quote) inString = true;
      else if (byte === 123 || byte === 91) {
        depth += 1;
        if (depth > this.limits.depth) throw this.tooDeep();
      } else if (byte === 125 || byte === 93) {
        if (depth === 0) break;
        depth -= 1;
        if (depth === 0) {
          at += 1;
          break;
        }
      } else if (depth === 0 && (byte === 44 || byte === 58 || byte === 32 || byte === 10 || byte === 13 || byte === 9))
        break;
      at += 1;
    }
    if (hold && at - this.begin > this.limits.recordBytes) throw this.tooLarge();
    const bytes = this.buffer.subarray(hold ? this.begin : at, at);
    this.begin = at;
    return bytes;
  }

  private backslashesBefore(at: number): number {
    let count = 0;
    while (at - count - 1 >= this.begin && this.buffer[at - count - 1] === backslash) count += 1;
    return count;
  }

  private async passMark(): Promise<boolean> {
    while (this.end - this.begin < 3) if (!(await this.more())) return false;
    if (this.buffer[this.begin + 1] !== 0xbb || this.buffer[this.begin + 2] !== 0xbf) return false;
    this.begin += 3;
    return true;
  }

  /**
   * Appends the next piece behind what is not yet read away. The buffer is kept and grows by doubling: a record of 64 MB
   * that comes in pieces of 16 kB must not be copied four thousand times.
   */
  private async more(): Promise<boolean> {
    const next = await this.pieces.next();
    if (next.done === true) return false;
    const piece = next.value;
    const left = this.end - this.begin;
    const needed = left + piece.length;
    if (this.end + piece.length > this.buffer.length) {
      if (needed > this.buffer.length || this.begin < left) {
        const grown = new Uint8Array(Math.max(needed, this.buffer.length * 2));
        grown.set(this.buffer.subarray(this.begin, this.end));
        this.buffer = grown;
      } else this.buffer.copyWithin(0, this.begin, this.end);
      this.passed += this.begin;
      this.begin = 0;
      this.end = left;
    }
    this.buffer.set(piece, this.end);
    this.end += piece.length;
    return true;
  }

  private cutOff() {
    return refuse(
      `${this.name} is cut off: it ends after ${this.passed + this.end} bytes inside a value.`,
      "Let the tool write it to the end, or export it again.",
    );
  }

  private tooLarge() {
    return refuse(
      `${this.name} holds a record of more than ${inMegabytes(this.limits.recordBytes)} at byte ${this.offset}.`,
      "Leave traces and attachments out when exporting.",
    );
  }

  private tooDeep() {
    return refuse(
      `${this.name} nests deeper than ${this.limits.depth} levels at byte ${this.offset}.`,
      "No eval tool writes that; look at the file before importing it.",
    );
  }
}
