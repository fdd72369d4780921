/**
 * Whether a field took what was typed into it.
 *
 * - `isTaken(holds, typed)` pure: formatters add spaces, dots and brackets, so only letters and digits count.
 * - `wordsAdded(before, after, typed)` pure: the page shows it elsewhere now, as a tag or a message that was sent.
 * - `notTaken(found, held, typed)` the error, with what the field says about its format.
 */
import { DevflowError } from "@devflow/core/errors";
import type { HeldValue } from "../../page-world/questions.ts";
import { quote } from "../../snapshot/line.ts";
import type { PageTree } from "../../snapshot/page-tree.ts";
import type { Found } from "../../targets/resolve-target.ts";
import { isDateFormat } from "./date-as.ts";

const plain = (text: string): string => text.replace(/[^\p{L}\p{N}]/gu, "").toLowerCase();

export function isTaken(holds: string, typed: string): boolean {
  const wanted = plain(typed);
  return wanted === "" ? holds.includes(typed.trim()) : plain(holds).includes(wanted);
}

/** An emptied field may show its format, or what cannot be removed. */
export const isEmptied = ({ value, placeholder }: Pick<HeldValue, "value" | "placeholder">): boolean =>
  plain(value) === "" || value === placeholder || isDateFormat(value);

/** Several tags can be typed at once. */
export function wordsAdded(before: PageTree, after: PageTree, typed: string): boolean {
  const parts = typed.split(/[,;\n\t]/).map(plain);
  const [was, is] = [before, after].map(({ nodes }) =>
    plain(nodes.map(({ name, text }) => name + (text ?? "")).join("")),
  );
  const countIn = (all = "", part: string) => all.split(part).length;
  const words = parts.filter((part) => part !== "");
  return words.length > 0 && words.every((part) => countIn(is, part) > countIn(was, part));
}

export function notTaken({ label, ref, readiness }: Found, held: HeldValue, typed: string): DevflowError {
  const { value, placeholder, pattern, maxLength } = held;
  const isCut = maxLength >= 0 && typed.length > maxLength;
  const format = isDateFormat(value) ? value : placeholder;
  const next = isCut
    ? `It takes ${maxLength} characters at most; fill it with fewer.`
    : pattern !== ""
      ? `It takes what matches ${pattern}; fill it with that.`
      : isDateFormat(format)
        ? `It asks for ${quote(format, 60)}. Give the date as 2026-12-31: devflow browse fill @${ref} <date>`
        : `${format === "" ? "" : `It asks for ${quote(format, 60)}. `}Type it key by key: devflow browse type <text> @${ref}`;
  const reason = readiness?.secret
    ? `the field holds ${value.length} characters instead of ${typed.length}`
    : value === ""
      ? "the field is empty afterwards"
      : `the field holds ${quote(value, 80)} instead`;
  return new DevflowError("browse_action_failed", { details: { action: "fill", target: label, reason, next } });
}
