/**
 * Tells controls apart that have no words and the same hint: by their colours, or else by where they are.
 *
 * - `tellApart(nodes, facts)` pure: the facts, with hints such as `<span> #239023` and `<span> at 122,102`.
 */
import type { Fact, PageRef } from "../page-world/questions.ts";
import type { OutlineNode } from "./outline.ts";

type Facts = ReadonlyMap<PageRef, Fact>;

export function tellApart(nodes: readonly OutlineNode[], facts: Facts): Facts {
  const unclear = nodes.flatMap(({ role, parent, place, page }) => {
    const fact = facts.get(page.ref ?? "");
    if (page.name !== "" || fact?.hint === undefined || fact.at === undefined) return [];
    return [{ ref: page.ref!, fact, key: JSON.stringify([role, fact.hint, place, parent]) }];
  });
  const told = new Map(facts);
  for (const alike of Map.groupBy(unclear, ({ key }) => key).values()) {
    if (alike.length === 1) continue;
    const colours = Map.groupBy(alike, ({ fact }) => fact.colour);
    for (const { ref, fact } of alike) {
      const colour = colours.size > 1 ? fact.colour : undefined;
      const at = colours.size === 1 || colours.get(fact.colour)!.length > 1 ? `at ${fact.at}` : undefined;
      told.set(ref, { ...fact, hint: [fact.hint, colour, at].filter(Boolean).join(" ") });
    }
  }
  return told;
}
