/**
 * The rows of a stored run, read from its file chunk by chunk whenever they are iterated: two hundred thousand of them as objects
 * would take several hundred megabytes.
 *
 * - `new PackedRows(chunk, count, length, rest)`; iterate it as often as needed.
 */
import type { ResultRow } from "./result-row.ts";

export class PackedRows implements Iterable<ResultRow> {
  readonly length: number;
  readonly #chunk: (at: number) => readonly ResultRow[];
  readonly #count: number;
  readonly #rest: () => void;

  /** `rest` is called after every few thousand rows, to collect the garbage that unpacking leaves. */
  constructor(chunk: (at: number) => readonly ResultRow[], count: number, length: number, rest: () => void) {
    this.#chunk = chunk;
    this.#count = count;
    this.length = length;
    this.#rest = rest;
  }

  *[Symbol.iterator](): Iterator<ResultRow> {
    for (let at = 0; at < this.#count; at++) {
      yield* this.#chunk(at);
      if (at % 32 === 31) this.#rest();
    }
  }
}
