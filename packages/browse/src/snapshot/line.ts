/**
 * One node as one line, and how many tokens it costs.
 *
 * - `lineOf(node, ref, fact)` `@e3 button "Save" [disabled]`, `@e5 textbox "Name": "Bob"`, `"plain words"`.
 * - `tokensOf(text)` an estimate that current models' tokenizers stay under on ordinary pages.
 */
import type { Fact } from "../page-world/questions.ts";
import { isField } from "./interactive.ts";
import type { OutlineNode } from "./outline.ts";

const maxNameLength = 160;
const maxTextLength = 240;

export const hiddenValue = "••••";

export function lineOf(node: OutlineNode, ref: string | undefined, fact: Fact | undefined): string {
  const { page, role } = node;
  const indent = "  ".repeat(node.depth);
  if (role === "text") return `${indent}${quote(page.text ?? page.name, maxTextLength)}${marksText(fact?.marks ?? [])}`;
  const parts = [ref ? `@${ref} ${role}` : role];
  const name = nameOf(node);
  if (name !== "") parts.push(quote(name, maxNameLength));
  else if (fact?.hint) parts.push(fact.hint);
  if (node.place)
    parts.push(node.interactive ? `in ${quote(node.place, maxNameLength)}` : quote(node.place, maxNameLength));
  const states = [...page.states, ...(fact?.marks ?? []), ...hiddenMarks(node)];
  if (page.name === "" && page.placeholder) states.push(`placeholder ${quote(page.placeholder, maxNameLength)}`);
  const value = shownValue(node, fact);
  return `${indent}${parts.join(" ")}${marksText(states)}${value === undefined ? "" : `: ${quote(value, maxTextLength)}`}`;
}

/** The text of an element that has no role but can be clicked is what a person would call it. */
export const nameOf = ({ page, role }: OutlineNode): string =>
  page.name || (role === "clickable" ? (page.text ?? "") : "");

/** A field's value or a container's text; never the value of a secret field. */
export function shownValue(node: OutlineNode, fact: Fact | undefined): string | undefined {
  const { page } = node;
  // Other elements with both a name and a text get a mark when the two differ.
  const words = page.name === "" || isField(page) || node.role === "editable" ? page.text : undefined;
  const given = fact?.value ?? words;
  if (given === undefined || given === "" || given === nameOf(node)) return undefined;
  if (fact?.secret) return hiddenValue;
  // A field whose facts are unknown may be a secret one.
  if (isField(page) && fact === undefined) return hiddenValue;
  return given;
}

/** Why an element has no ref: it has no size, or no pointer can reach it. */
export function hiddenMarks(node: OutlineNode): string[] {
  if (node.page.ref !== undefined || node.role === "text") return [];
  return [node.page.box && node.page.box.width > 0 && node.page.box.height > 0 ? "no pointer" : "hidden"];
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
