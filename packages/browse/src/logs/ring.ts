/**
 * A ring buffer of a log's newest entries, numbered from 1. Adding an entry takes constant time.
 *
 * - `Ring(redactor, keep, capacity)` entries are cleaned before they are stored and passed to `keep` for the file. They
 *   are cleaned again on reading if another value became secret, since a page may log its cookie before it is known.
 */
import type { LogRing } from "../command.ts";
import type { Redactor } from "./redactor.ts";

export type Numbered<Entry> = Entry & { readonly seq: number; readonly at: string };

const ringCapacity = 50_000;

export class Ring<Entry extends object> implements LogRing<Entry> {
  readonly #entries: { entry: Numbered<Entry>; version: number }[] = [];
  readonly #redactor: Redactor;
  readonly #keep: (entry: Numbered<Entry>) => void;
  readonly #capacity: number;
  #seq = 0;

  constructor(redactor: Redactor, keep: (entry: Numbered<Entry>) => void = () => {}, capacity = ringCapacity) {
    this.#redactor = redactor;
    this.#keep = keep;
    this.#capacity = capacity;
  }

  get seq(): number {
    return this.#seq;
  }

  push(entry: Entry): void {
    this.#seq += 1;
    const kept = { ...this.#redactor.cleanAll(entry), seq: this.#seq, at: new Date().toISOString() };
    // Entry n is always at index (n - 1) modulo the capacity.
    this.#entries[(this.#seq - 1) % this.#capacity] = { entry: kept, version: this.#redactor.version };
    this.#keep(kept);
  }

  since(seq: number): readonly Numbered<Entry>[] {
    const first = Math.max(seq, this.#seq - this.#capacity, 0);
    const found: Numbered<Entry>[] = [];
    for (let number = first; number < this.#seq; number++) {
      const kept = this.#entries[number % this.#capacity];
      if (!kept) continue;
      if (kept.version !== this.#redactor.version) {
        kept.entry = this.#redactor.cleanAll(kept.entry);
        kept.version = this.#redactor.version;
      }
      found.push(kept.entry);
    }
    return found;
  }
}
