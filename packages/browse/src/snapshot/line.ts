/**
 * One node as one line, and how many tokens it costs.
 *
 * - `lineOf(node, ref, fact)` `@e3 button "Save" [disabled]`, `@e5 textbox "Name": "Bob"`, `"plain words"`.
 * - `tokensOf(text)` an estimate that current models' tokenizers stay under on ordinary pages.
 */
import type { Fact } from "../page-world/questions.ts";
import { isField } from "./interactive.ts";
import type { OutlineNode } from "./outline.ts";
import { isUnnamedRow } from "./rows.ts";

const maxNameLength = 160;
const maxTextLength = 240;

export const hiddenValue = "••••";

export function lineOf(node: OutlineNode, ref: string | undefined, fact: Fact | undefined): string {
  const { page, role } = node;
  const indent = "  ".repeat(node.depth);
  if (role === "text") return `${indent}${quote(page.text ?? page.name, maxTextLength)}${marksText(fact?.marks ?? [])}`;
  const parts = [ref ? `@${ref} ${role}` : role];
  const name = nameOf(node);
  const isKnownByPlace = !node.interactive || isUnnamedRow(node);
  if (name !== "") parts.push(quote(name, maxNameLength));
  else if (fact?.hint && !(node.place && isKnownByPlace)) parts.push(fact.hint);
  if (node.place)
    parts.push(!isKnownByPlace ? `in ${quote(node.place, maxNameLength)}` : quote(node.place, maxNameLength));
  const states = statesOf(node, fact);
  const value = shownValue(node, fact);
  // What it expects shows only while it is empty.
  const isEmpty = value === undefined && page.placeholder !== page.name;
  if (isEmpty && page.placeholder) states.push(`placeholder ${quote(page.placeholder, maxNameLength)}`);
  return `${indent}${parts.join(" ")}${marksText(states)}${value === undefined ? "" : `: ${quote(value, maxTextLength)}`}`;
}

/** The text of an element without a role of a control that can be clicked is what a person would call it. */
export const nameOf = ({ page, role }: OutlineNode): string =>
  page.name || (role === "clickable" || (role === "listitem" && page.hasPointerCursor) ? (page.text ?? "") : "");

/** What is said in brackets. */
export function statesOf(node: OutlineNode, fact: Fact | undefined): string[] {
  const marks = fact?.marks ?? [];
  const own = isNamedApart(node) ? marks.filter((mark) => !mark.startsWith("shows ")) : marks;
  return [...node.page.states, ...offState(node), ...own, ...hiddenMarks(node)];
}

/** Somebody who decides for a person wants to know. Of radio buttons the chosen one says enough. */
function offState({ role, page: { states } }: OutlineNode): string[] {
  const isOn = states.some((state) => state.endsWith("checked"));
  return togglable.has(role) && !isOn ? ["unchecked"] : [];
}

const togglable = new Set(["checkbox", "switch"]);

/** Controls, headings, cells and the like are named by their words; others, such as a panel, may have a name and words of their own. */
const isNamedApart = ({ role, interactive }: OutlineNode): boolean => !interactive && apart.has(role);

const apart = new Set([
  ...[
    "alert",
    "alertdialog",
    "article",
    "banner",
    "blockquote",
    "complementary",
    "contentinfo",
    "dialog",
    "figure",
    "form",
  ],
  ...[
    "group",
    "list",
    "log",
    "main",
    "marquee",
    "navigation",
    "note",
    "region",
    "search",
    "status",
    "tabpanel",
    "toolbar",
  ],
]);

/** A field's value or a container's text; never the value of a secret field. */
export function shownValue(node: OutlineNode, fact: Fact | undefined): string | undefined {
  const { page } = node;
  // Other elements with both a name and a text get a mark when the two differ.
  const isApart = isField(page) || node.role === "editable" || isNamedApart(node);
  const words = page.name === "" || isApart ? page.text : undefined;
  const given = fact?.value ?? words;
  if (given === undefined || given === "" || given === nameOf(node)) return undefined;
  if (fact?.secret) return hiddenValue;
  // A field whose facts are unknown may be a secret one.
  if (isField(page) && fact === undefined) return hiddenValue;
  return given;
}

/**
 * Why an element has no ref: it has no size, or no pointer can reach it; which of the two is known where boxes were read. The options
 * of a select box are chosen without one.
 */
function hiddenMarks({ role, page: { ref, holdsRefs, box } }: OutlineNode): string[] {
  if (ref !== undefined || holdsRefs || role === "text" || role === "option" || !box) return [];
  return [box.width > 0 && box.height > 0 ? "no pointer" : "hidden"];
}

const marksText = (marks: readonly string[]): string => (marks.length === 0 ? "" : ` [${marks.join("] [")}]`);

export function quote(text: string, maxLength: number): string {
  const short = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
  return JSON.stringify(short.isWellFormed() ? short : short.toWellFormed());
}

export function tokensOf(text: string): number {
  let wide = 0;
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 127) wide += 1;
  return Math.ceil((text.length - wide) / 4 + wide * 0.8);
}
