/**
 * Text that every store accepts: Postgres rejects U+0000, and a lone surrogate has no UTF-8 form.
 *
 * - `safeText(text)` the text with each of them replaced by U+FFFD, and whether anything was.
 */
export interface Safe<T> {
  readonly value: T;
  /** True when some text was changed; the row records it. */
  readonly changed: boolean;
}

export function safeText(text: string): Safe<string> {
  if (isSafe(text)) return { value: text, changed: false };
  return { value: text.replaceAll("\0", "\uFFFD").toWellFormed(), changed: true };
}

export function isSafe(text: string): boolean {
  return !text.includes("\0") && text.isWellFormed();
}
