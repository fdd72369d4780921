/** A terminal's or browser's name for itself, shown to people: one line of visible characters. */
import { shortLine } from "@devflow/core/plain-text";

export function labelOf(given: string | null | undefined, otherwise: string): string {
  return shortLine(given ?? "", 100).trim() || otherwise;
}
