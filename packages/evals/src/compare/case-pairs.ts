/**
 * Pairs of cases, as columns: hundreds of thousands of pairs as objects would take a hundred megabytes.
 *
 * - `CasePairs`: `add`, `at(i)` one pair as an object, `numbers(i)` its case numbers; iterable.
 */
import { type Side, SideCase } from "./side.ts";

const ways = ["name and input", "name", "renamed"] as const;

export interface CasePair {
  readonly a: SideCase;
  readonly b: SideCase;
  readonly by: (typeof ways)[number];
}

export class CasePairs implements Iterable<CasePair> {
  readonly a: Side;
  readonly b: Side;
  length = 0;
  #noA = new Uint32Array(64);
  #noB = new Uint32Array(64);
  #by = new Uint8Array(64);

  constructor(a: Side, b: Side) {
    this.a = a;
    this.b = b;
  }

  add(noA: number, noB: number, by: CasePair["by"]): void {
    if (this.length === this.#by.length) {
      const size = this.length * 2;
      [this.#noA, this.#noB, this.#by] = [
        resized(this.#noA, new Uint32Array(size)),
        resized(this.#noB, new Uint32Array(size)),
        resized(this.#by, new Uint8Array(size)),
      ];
    }
    this.#noA[this.length] = noA;
    this.#noB[this.length] = noB;
    this.#by[this.length++] = ways.indexOf(by);
  }

  noA(i: number): number {
    return this.#noA[i]!;
  }

  noB(i: number): number {
    return this.#noB[i]!;
  }

  by(i: number): CasePair["by"] {
    return ways[this.#by[i]!]!;
  }

  at(i: number): CasePair {
    return { a: new SideCase(this.a, this.#noA[i]!), b: new SideCase(this.b, this.#noB[i]!), by: this.by(i) };
  }

  *[Symbol.iterator](): Iterator<CasePair> {
    for (let i = 0; i < this.length; i++) yield this.at(i);
  }
}

function resized<T extends Uint32Array | Uint8Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
