/**
 * The last so many entries of a log, numbered from 1. Adding one costs the same however full it is.
 *
 * - `Ring(redactor, keep, capacity)` entries are cleaned before they are kept and handed to `keep` for the file, and
 *   once more when they are read after another value became secret: a page may log its cookie before we know it.
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
    // The entry with number n always stands at (n - 1) modulo the capacity.
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
