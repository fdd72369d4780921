/**
 * The small buttons of a number field, which appear when the mouse is over it: filling the field does the same.
 *
 * - `withoutSpinners(folded, outline, facts)` pure: without those that cannot be seen.
 */
import type { Fact, PageRef } from "../page-world/questions.ts";
import type { FoldedOutline } from "./fold.ts";
import type { Outline, OutlineNode } from "./outline.ts";

export function withoutSpinners(
  folded: FoldedOutline,
  outline: Outline,
  facts: ReadonlyMap<PageRef, Fact>,
): FoldedOutline {
  const numberFields = outline.filter(({ role }) => role === "spinbutton");
  if (numberFields.length === 0) return folded;
  const places = new Set(numberFields.map(({ parent }) => parent));
  const isSpinner = ({ role, parent, page }: OutlineNode): boolean =>
    role === "button" &&
    places.has(parent) &&
    (facts.get(page.ref ?? "")?.marks ?? []).some((mark) => mark === "hidden" || mark === "transparent");
  let end = 0;
  const items = folded.items.filter((item) => {
    if (item.kind !== "line") return true;
    if (item.node.index < end) return false;
    if (isSpinner(item.node)) end = item.node.end;
    return item.node.index >= end;
  });
  return { ...folded, items };
}
