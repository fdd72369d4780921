/**
 * A change as a line: `+` added, `-` removed, `~` changed, `=` what is left of a list.
 *
 * - `changeText(change, ref, fact)` pure; it is told which values are secret.
 */
import type { Fact } from "../page-world/questions.ts";
import { isField } from "../snapshot/interactive.ts";
import { hiddenValue, lineOf, quote } from "../snapshot/line.ts";
import type { PageNode } from "../snapshot/page-tree.ts";
import type { Change } from "./describe-diff.ts";

const maxOptions = 8;
/** Told by their words alone. */
const wordRoles = new Set(["generic", "paragraph", "text"]);

const signs = { added: "+", removed: "-", left: "=" } as const;

export function changeText(change: Change, ref: string | undefined, fact: Fact | undefined): string {
  const offer = change.options ? [offered(change.options)] : [];
  if (change.kind !== "changed") {
    const sign = signs[change.kind];
    const { node, depth } = change;
    const page = { ...node.page, states: [...node.page.states, ...offer] };
    return `${sign} ${lineOf({ ...node, page, depth }, ref, fact)}`;
  }
  if (change.rows !== undefined) return rowsText(change.change.after, change.rows, ref);
  const place = change.place ? ` in ${quote(change.place, 60)}` : "";
  return `${changedText(change, ref, fact, offer)}${place}`;
}

function rowsText({ role, name }: PageNode, rows: number, ref: string | undefined): string {
  const what = [...(ref ? [`@${ref}`] : []), wordRoles.has(role) ? "list" : role, ...(name ? [quote(name, 60)] : [])];
  return `~ ${what.join(" ")} has ${rows} ${rows === 1 ? "row" : "rows"} now:`;
}

function changedText(
  { change: { before, after, what } }: Extract<Change, { kind: "changed" }>,
  ref: string | undefined,
  fact: Fact | undefined,
  offer: readonly string[],
): string {
  if (wordRoles.has(after.role) && after.name === "" && !what.includes("states")) {
    const was = before.text === undefined ? "" : `${quote(before.text, 120)} → `;
    return `~ ${was}${quote(after.text ?? "", 120)}`;
  }
  const parts = [`~ ${ref ? `@${ref} ` : ""}${after.role}`];
  if (what.includes("name")) parts.push(`${quote(before.name, 80)} → ${quote(after.name, 80)}`);
  else if (after.name !== "") parts.push(quote(after.name, 80));
  else if (fact?.hint) parts.push(fact.hint);
  if (what.includes("states")) parts.push(stateChange(before.states, after.states));
  parts.push(...offer.map((words) => `[${words}]`));
  const text = parts.join(" ");
  if (!what.includes("text")) return text;
  const secret = fact?.secret || (isField(after) && fact === undefined);
  const value = (words: string | undefined, most: number) =>
    secret && words ? quote(hiddenValue, 9) : quote(words ?? "", most);
  // What was announced before has been told.
  return `${text}: ${value(before.text, after.role === "log" ? 20 : 120)} → ${value(after.text, 120)}`;
}

function stateChange(before: readonly string[], after: readonly string[]): string {
  const came = after.filter((state) => !before.includes(state) && state !== "focused").map((state) => `[${state}]`);
  const went = before
    .filter((state) => !after.includes(state) && state !== "focused")
    .map((state) => `[no longer ${state}]`);
  return [...came, ...went].join(" ");
}

function offered(options: readonly string[]): string {
  if (options.length === 0) return "no options";
  const more = options.length - maxOptions;
  const shown = options.slice(0, maxOptions).map((option) => quote(option, 40));
  return `options ${[...shown, ...(more > 0 ? [`… ${more} more`] : [])].join(", ")}`;
}
