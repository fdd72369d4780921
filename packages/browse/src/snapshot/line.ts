/**
 * One node as one line, and what it costs to read.
 *
 * - `lineOf(node, ref, fact)` `@e3 button "Save" [disabled]`, `@e5 textbox "Name": "Bob"`, `"plain words"`.
 * - `tokensOf(text)` an estimate that a tokenizer of today's models stays under on ordinary pages.
 */
import type { Fact } from "../page-world/questions.ts";
import { isField } from "./interactive.ts";
import type { OutlineNode } from "./outline.ts";

const longestName = 160;
const longestWords = 240;

export const hiddenValue = "••••";

export function lineOf(node: OutlineNode, ref: string | undefined, fact: Fact | undefined): string {
  const { page, role } = node;
  const indent = "  ".repeat(node.depth);
  if (role === "text") return `${indent}${quote(page.text ?? page.name, longestWords)}${marksText(fact?.marks ?? [])}`;
  const parts = [ref ? `@${ref} ${role}` : role];
  if (page.name !== "") parts.push(quote(page.name, longestName));
  const states = [...page.states, ...(fact?.marks ?? []), ...unseen(node)];
  if (page.name === "" && page.placeholder) states.push(`placeholder ${quote(page.placeholder, longestName)}`);
  const value = shownValue(node, fact);
  return `${indent}${parts.join(" ")}${marksText(states)}${value === undefined ? "" : `: ${quote(value, longestWords)}`}`;
}

/** What a field holds or what a container says; never the value of a secret field. */
export function shownValue(node: OutlineNode, fact: Fact | undefined): string | undefined {
  const { page } = node;
  // What else than a field has both a name and words is marked when they differ.
  const words = page.name === "" || isField(page) || node.role === "editable" ? page.text : undefined;
  const given = fact?.value ?? words;
  if (given === undefined || given === "" || given === page.name) return undefined;
  if (fact?.secret) return hiddenValue;
  // A field that the page's world could not be asked about may be a secret one.
  if (isField(page) && fact === undefined) return hiddenValue;
  return given;
}

/** Without a ref it has no size, or no pointer can reach it. */
export function unseen(node: OutlineNode): string[] {
  if (node.page.ref !== undefined || node.role === "text") return [];
  return [node.page.box && node.page.box.width > 0 && node.page.box.height > 0 ? "no pointer" : "hidden"];
}

const marksText = (marks: readonly string[]): string => (marks.length === 0 ? "" : ` [${marks.join("] [")}]`);

export function quote(text: string, longest: number): string {
  const short = text.length > longest ? `${text.slice(0, longest)}…` : text;
  return JSON.stringify(short.isWellFormed() ? short : short.toWellFormed());
}

export function tokensOf(text: string): number {
  let wide = 0;
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 127) wide += 1;
  return Math.ceil((text.length - wide) / 4 + wide * 0.8);
}
