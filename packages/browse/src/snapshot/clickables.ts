/**
 * Finds elements that can be clicked but have no role for it, by their event listeners.
 *
 * - `findClickables(tab, shown)` as `@c` refs, without elements that already have a line.
 */
import { z } from "zod";
import type { Tab } from "../command.ts";
import { type IsolatedContext, isolatedContexts } from "../page-world/isolated-contexts.ts";
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
  const asked = contexts.map((context) => clickablesIn(context).catch(() => []));
  const found = (await Promise.all(asked)).flat();
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

const clicks = new Set(["click", "mousedown", "mouseup", "pointerdown", "pointerup", "touchend", "dblclick"]);
const maxListening = 400;

/**
 * Only the browser knows the listeners. It lists those of a whole document, shadow roots included, in one call. It must
 * be asked through the page's world: with a document of the isolated world, Chromium 156 puts the page's functions
 * there, and the renderer crashes soon after (seen with three more snapshots).
 */
async function clickablesIn({ cdp, contextId, pageContextId }: IsolatedContext): Promise<z.infer<typeof answerShape>> {
  const objectGroup = `devflow-${crypto.randomUUID()}`;
  try {
    const ofPage = { contextId: pageContextId, objectGroup };
    const { result } = await cdp.send("Runtime.evaluate", { expression: "document", ...ofPage });
    if (!result.objectId) return [];
    const { listeners } = await cdp.send("DOMDebugger.getEventListeners", {
      objectId: result.objectId,
      depth: -1,
      pierce: true,
    });
    const nodes = new Set(listeners.flatMap(({ type, backendNodeId }) => (clicks.has(type) && backendNodeId) || []));
    const handles = await Promise.all([...nodes].slice(0, maxListening).map((node) => resolve(node)));
    const answer = await cdp.send("Runtime.callFunctionOn", {
      executionContextId: contextId,
      functionDeclaration: "function (...nodes) { return globalThis.__devflow.clickables(nodes); }",
      arguments: handles.flatMap((objectId) => (objectId ? [{ objectId }] : [])),
      returnByValue: true,
    });
    return answerShape.parse(answer.result.value);
  } finally {
    await cdp.send("Runtime.releaseObjectGroup", { objectGroup });
  }

  /** A node of another frame cannot be resolved in this context; that frame's context finds it. */
  async function resolve(backendNodeId: number): Promise<string | undefined> {
    const found = await cdp
      .send("DOM.resolveNode", { backendNodeId, executionContextId: contextId, objectGroup })
      .catch(() => undefined);
    return found?.object.objectId;
  }
}
