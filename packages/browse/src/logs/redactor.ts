/**
 * Removes secrets and invisible characters from logs: secrets recognised by their shape, and values known to be secret in
 * this session (typed into password fields, cookie values).
 *
 * - `hide(secret)` from now on.
 * - `clean(text)`, `cleanAll(entry)` text and entries without secrets.
 * - `version` increases with every new secret; what was cleaned before has to be cleaned again.
 */

import { plainText } from "@devflow/core/plain-text";
import { redactSecrets } from "@devflow/redact";

/** Shorter values would match parts of ordinary words. */
const shortestSecret = 6;
const maxSecrets = 2_000;
/** A page may log megabytes in one line. */
const maxTextLength = 20_000;

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
    const bounded = text.length > maxTextLength ? `${text.slice(0, maxTextLength)}… (${text.length} characters)` : text;
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
