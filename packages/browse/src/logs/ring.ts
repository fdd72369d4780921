/**
 * The last so many entries of a log, numbered from 1. Adding one costs the same however full it is.
 *
 * - `Ring(capacity, clean, keep)` entries are cleaned before they are kept and handed to `keep` for the file.
 */
import type { LogRing } from "../command.ts";

export type Numbered<Entry> = Entry & { readonly seq: number; readonly at: string };

export const ringCapacity = 50_000;

export class Ring<Entry extends object> implements LogRing<Entry> {
  readonly #entries: Numbered<Entry>[] = [];
  readonly #clean: (entry: Entry) => Entry;
  readonly #keep: (entry: Numbered<Entry>) => void;
  readonly #capacity: number;
  #seq = 0;

  constructor(
    clean: (entry: Entry) => Entry,
    keep: (entry: Numbered<Entry>) => void = () => {},
    capacity = ringCapacity,
  ) {
    this.#clean = clean;
    this.#keep = keep;
    this.#capacity = capacity;
  }

  get seq(): number {
    return this.#seq;
  }

  push(entry: Entry): void {
    this.#seq += 1;
    const kept = { ...this.#clean(entry), seq: this.#seq, at: new Date().toISOString() };
    // The entry with number n always stands at (n - 1) modulo the capacity.
    this.#entries[(this.#seq - 1) % this.#capacity] = kept;
    this.#keep(kept);
  }

  since(seq: number): readonly Numbered<Entry>[] {
    const first = Math.max(seq, this.#seq - this.#capacity, 0);
    const found: Numbered<Entry>[] = [];
    for (let number = first; number < this.#seq; number++) {
      const entry = this.#entries[number % this.#capacity];
      if (entry) found.push(entry);
    }
    return found;
  }
}
