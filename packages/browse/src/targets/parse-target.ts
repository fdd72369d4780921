/**
 * Parses the word that names an element.
 *
 * - `parseTarget(word)` pure: a ref (`@e3`, `e3`, `@c1`), text on the page (`text=Save`), a role with its name
 *   (`button:Save`, `link:"Sign in"`, `role:option:Large`), a line of a snapshot (`button "Star" in "Initech"`,
 *   `button:Star in "Initech"`, `clickable:Row 1`), the hint of what has no words (`<input#mail>`), or CSS.
 *   Throws `browse_target_invalid`.
 * - `isBareWord(word)`, `canBeTag(word)` pure: `Details` is CSS too, but rather the words on a button. `isRole(word)`.
 */
import { DevflowError } from "@devflow/core/errors";
import { type LineTarget, parseLine } from "./by-words.ts";
import { parseRecorded, type RecordedTarget } from "./recorded-target.ts";

export type Target =
  | { readonly kind: "ref"; readonly ref: string }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "role"; readonly role: string; readonly name: string; readonly exact: boolean }
  | ({ readonly kind: "line" } & LineTarget)
  | { readonly kind: "css"; readonly css: string }
  | RecordedTarget;

const roles = new Set(
  (
    "alert alertdialog article banner blockquote button caption cell checkbox code columnheader combobox complementary " +
    "contentinfo definition deletion dialog document emphasis figure form generic grid gridcell group heading img link list " +
    "listbox listitem log main marquee math menu menubar menuitem menuitemcheckbox menuitemradio meter navigation note " +
    "option paragraph progressbar radio radiogroup region row rowgroup rowheader scrollbar search searchbox separator " +
    "slider spinbutton status strong switch tab table tablist tabpanel term textbox time timer toolbar tooltip tree " +
    "treegrid treeitem"
  ).split(" "),
);

/** After a tag that is also a role (`button:disabled`), these are CSS rather than a name. */
const pseudoClass =
  /^(:|(active|any-link|checked|default|defined|disabled|empty|enabled|first-child|first-of-type|focus|focus-visible|focus-within|has\(|hover|host|in-range|indeterminate|invalid|is\(|last-child|last-of-type|link|not\(|nth-|only-child|only-of-type|open|optional|out-of-range|placeholder-shown|popover-open|read-only|read-write|required|root|target|user-invalid|user-valid|valid|visited|where\()(?![\w ]))/;

export function parseTarget(word: string): Target {
  const given = word.trim();
  if (given === "") throw invalid(word, "it is empty");
  const recorded = parseRecorded(given);
  if (recorded) return recorded;
  const ref = /^@?([ec]\d+)$/.exec(given)?.[1] ?? /^@([ec]\d+) [a-z<]/.exec(given)?.[1];
  if (ref) return { kind: "ref", ref };
  if (/^@g\d+$/.test(given)) throw invalid(word, `it is a folded group; open it first: devflow browse expand ${given}`);
  if (given.startsWith("@")) throw invalid(word, "refs look like @e3");
  if (/^text[=:]/.test(given)) return { kind: "text", text: unquote(given.slice(5).trim()).text };
  const line = pseudoClass.test(given.replace(/^[a-z]+:/, "")) ? undefined : parseLine(given);
  if (line) return { kind: "line", ...line };
  const role = /^([a-z]+):(.+)$/s.exec(given.replace(/^role:/, ""));
  if (role?.[1] && role[2] && roles.has(role[1]) && !pseudoClass.test(role[2])) {
    const { text, quoted } = unquote(role[2].trim());
    return { kind: "role", role: role[1], name: text, exact: quoted };
  }
  const hint = /^<([a-z][\w-]*(?:[#.][\w-]+)*)>(?: ".*")?$/is.exec(given)?.[1];
  if (hint) return { kind: "css", css: hint };
  const css = given.startsWith("css=") ? given.slice(4) : given;
  if (css.replace(/"(\\.|[^"\\])*"|'(\\.|[^'\\])*'/g, "").includes(">>")) throw invalid(word, ">> is not CSS");
  return { kind: "css", css };
}

export const isBareWord = (word: string): boolean => /^[a-z][a-z0-9]*$/i.test(word.trim());

export const isRole = (word: string): boolean => roles.has(word);

/** Tags are written small, and an element that is never shown is not meant. */
export const canBeTag = (word: string): boolean =>
  !/[A-Z]/.test(word) && !/^(base|head|link|meta|noscript|script|style|template|title)$/.test(word.trim());

function unquote(text: string): { text: string; quoted: boolean } {
  if (!/^".*"$/s.test(text)) return { text, quoted: false };
  try {
    return { text: JSON.parse(text), quoted: true };
  } catch {
    return { text: text.slice(1, -1), quoted: true };
  }
}

function invalid(target: string, reason: string): DevflowError {
  return new DevflowError("browse_target_invalid", { details: { target: JSON.stringify(target), reason } });
}
