/**
 * Takes secrets and invisible characters out of what is logged: secrets by their shape, and the values that are known
 * to be secret in this session (typed into password fields, values of cookies).
 *
 * - `hide(secret)` from now on; `clean(text)`, `cleanAll(entry)` text and entries without them. `version` grows with
 *   every new secret: what was cleaned before it has to be cleaned again.
 */

import { plainText } from "@devflow/core/plain-text";
import { redactSecrets } from "@devflow/redact";

/** Shorter ones would tear ordinary words apart. */
const shortestSecret = 6;
const maxSecrets = 2_000;
/** A page may log megabytes in a line. */
const longestText = 20_000;

export class Redactor {
  readonly #known = new Set<string>();
  #version = 0;

  get version(): number {
    return this.#version;
  }

  hide(secret: string): void {
    if (secret.length < shortestSecret || this.#known.has(secret)) return;
    this.#version += 1;
    this.#known.add(secret);
    if (this.#known.size > maxSecrets) this.#known.delete(this.#known.values().next().value as string);
  }

  clean(text: string): string {
    const bounded = text.length > longestText ? `${text.slice(0, longestText)}… (${text.length} characters)` : text;
    return redactSecrets(plainText(bounded), { known: [...this.#known] }).text;
  }

  cleanAll<Entry extends object>(entry: Entry): Entry {
    const members = Object.entries(entry).map(([name, value]) => [
      name,
      typeof value === "string" ? this.clean(value) : value,
    ]);
    return Object.fromEntries(members) as Entry;
  }
}
