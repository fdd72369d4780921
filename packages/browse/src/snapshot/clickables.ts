/**
 * What can be clicked although nothing about it says so: found by its event listeners.
 *
 * - `findClickables(tab, shown)` as `@c` refs; elements that already have a line are left out.
 */
import { z } from "zod";
import type { Tab } from "../command.ts";
import { isolatedContexts } from "../page-world/isolated-contexts.ts";
import type { PageRef } from "../page-world/questions.ts";
import { quote } from "./line.ts";
import { refBookOf } from "./ref-book.ts";
import type { SnapshotNode } from "./render.ts";

const answerShape = z.array(z.object({ ref: z.string(), name: z.string() })).catch([]);

export interface Clickables {
  readonly lines: readonly string[];
  readonly nodes: readonly SnapshotNode[];
}

export async function findClickables(tab: Tab, shown: ReadonlySet<PageRef>): Promise<Clickables> {
  const contexts = await isolatedContexts(tab);
  const asked = contexts.map((context) =>
    // One call for all elements of a frame: only the console's own functions know listeners.
    context
      .evaluate("globalThis.__devflow?.clickables(getEventListeners)", { includeCommandLineAPI: true })
      .catch(() => []),
  );
  const found = (await Promise.all(asked)).flatMap((answer) => answerShape.parse(answer ?? []));
  const book = refBookOf(tab);
  const nodes = found
    .filter(({ ref }) => !shown.has(ref))
    .map(({ ref, name }) => ({
      ref: book.refFor(ref, { role: "clickable", name }, "c"),
      role: "clickable",
      name,
      states: [],
      depth: 0,
      frame: 0,
      visible: true,
    }));
  return { nodes, lines: nodes.map(({ ref, name }) => `@${ref} clickable ${quote(name, 80)}`) };
}
