/**
 * Finds elements that can be clicked but have no role for it, by their event listeners.
 *
 * - `listeningElements(tab, most, within)` those whose listeners only the browser knows; where more than `most` elements listen
 *   only how many there are, since each takes a round trip. Those that React listens for at its root are always among them.
 */
import type { CDPSession, Locator } from "playwright-core";
import { z } from "zod";
import type { Tab } from "../command.ts";
import { askPage } from "../page-world/ask-page.ts";
import { worldsOf } from "../page-world/direct-way.ts";
import type { IsolatedContext } from "../page-world/isolated-contexts.ts";
import { forgetPageObjects, pageObjects } from "../page-world/page-objects.ts";
import type { ClickableElement, PageRef } from "../page-world/questions.ts";
import { hasNoFrames } from "./capture-tree.ts";

const numbers = z.array(z.number());
const answerShape = z
  .array(z.object({ ref: z.string(), name: z.string(), around: numbers, before: numbers, order: numbers }))
  .catch([]);
const handledShape = z.object({ total: z.number(), at: numbers }).nullable().catch(null);

export interface Listening {
  readonly elements: readonly ClickableElement[];
  /** How many elements listen that were not looked at. */
  readonly skipped: number;
}

export async function listeningElements(tab: Tab, most: number, within?: Locator): Promise<Listening> {
  const nothing: Listening = { elements: [], skipped: 0 };
  const [contexts, part] = await Promise.all([
    worldsOf(tab).catch(() => []),
    within && askPage(within, { ask: "ref" }).catch(() => null),
  ]);
  const found = await Promise.all(
    contexts.map((context) => listeningIn(tab, context, most, part ?? undefined).catch(() => nothing)),
  );
  return {
    elements: found.flatMap(({ elements }) => elements),
    skipped: found.reduce((sum, { skipped }) => sum + skipped, 0),
  };
}

const clicks = new Set(["click", "mousedown", "mouseup", "pointerdown", "pointerup", "touchend", "dblclick"]);

/**
 * Only the browser knows the listeners. It lists those of a whole document, shadow roots included, in one call. It must
 * be asked through the page's world: with a document of the isolated world, Chromium 156 puts the page's functions
 * there, and the renderer crashes soon after (seen with three more snapshots).
 */
async function listeningIn(
  tab: Tab,
  context: IsolatedContext,
  most: number,
  part: PageRef | undefined,
): Promise<Listening> {
  const { cdp, contextId, unique, pageContextId } = context;
  const objectGroup = `devflow-${crypto.randomUUID()}`;
  try {
    const [listeners, handled] = await Promise.all([
      listenersOf(tab, context, objectGroup, part),
      handledByReact(cdp, pageContextId).catch(() => null),
    ]);
    const nodes = new Set(listeners.flatMap(({ type, backendNodeId }) => (clicks.has(type) && backendNodeId) || []));
    const skipped = nodes.size > most ? nodes.size : 0;
    if (skipped > 0) nodes.clear();
    if (nodes.size === 0 && handled === null) return { elements: [], skipped };
    const shown = shownIn(tab, unique);
    const others = [...nodes].filter((node) => !shown.has(node));
    const handles = await Promise.all(others.map((node) => resolve(node)));
    const first = others.filter((_, at) => handles[at] !== undefined);
    const answer = await cdp.send("Runtime.callFunctionOn", {
      uniqueContextId: unique,
      functionDeclaration:
        "function (handled, all, first, ...nodes) { return globalThis.__devflow.clickables(handled, all, first, nodes); }",
      arguments: [
        ...[handled, [...nodes], first].map((value) => ({ value })),
        ...handles.flatMap((objectId) => (objectId ? [{ objectId }] : [])),
      ],
      returnByValue: true,
    });
    if (!answer.exceptionDetails) for (const node of first) shown.add(node);
    return { elements: answerShape.parse(answer.result.value), skipped };
  } finally {
    void cdp.send("Runtime.releaseObjectGroup", { objectGroup }).catch(() => undefined);
  }

  /** A node of another frame cannot be resolved in this context; that frame's context finds it. */
  async function resolve(backendNodeId: number): Promise<string | undefined> {
    const found = await cdp
      .send("DOM.resolveNode", { backendNodeId, executionContextId: contextId, objectGroup })
      .catch(() => undefined);
    return found?.object.objectId;
  }
}

const shownKey = Symbol("browse shown listeners");

/** The nodes that a context has been shown, which it knows by Chromium's number from then on. */
function shownIn(tab: Tab, context: string): Set<number> {
  const memory = tab.memory(shownKey, () => new Map<string, Set<number>>());
  const known = memory.get(context) ?? new Set();
  if (memory.size >= mostContexts) memory.clear();
  memory.set(context, known);
  return known;
}

/** Each document has its own. */
const mostContexts = 50;

/** Of a part of the document, or of all of it. That of a page without frames is known. */
async function listenersOf(
  tab: Tab,
  { cdp, contextId, pageContextId }: IsolatedContext,
  objectGroup: string,
  part: PageRef | undefined,
) {
  const ask = async (objectId: string) =>
    (await cdp.send("DOMDebugger.getEventListeners", { objectId, depth: -1, pierce: true })).listeners;
  if (part !== undefined) {
    const expression = `globalThis.__devflow.find(${JSON.stringify(part)})`;
    const { result } = await cdp.send("Runtime.evaluate", { expression, contextId, objectGroup });
    // The part is in another frame.
    if (!result.objectId) return [];
    const { node } = await cdp.send("DOM.describeNode", { objectId: result.objectId });
    const { backendNodeId } = node;
    const inPage = { backendNodeId, executionContextId: pageContextId, objectGroup };
    const { object } = await cdp.send("DOM.resolveNode", inPage);
    return object.objectId ? await ask(object.objectId) : [];
  }
  if (hasNoFrames(tab)) {
    const { document } = await pageObjects(tab);
    const listeners = await ask(document).catch(() => undefined);
    if (listeners) return listeners;
    forgetPageObjects(tab);
  }
  const { result } = await cdp.send("Runtime.evaluate", {
    expression: "document",
    contextId: pageContextId,
    objectGroup,
  });
  return result.objectId ? await ask(result.objectId) : [];
}

/**
 * React listens at its root only, and keeps on each element what handles its clicks. Places among all elements of the document,
 * since Devflow's own world does not see what React keeps there. A million elements take 0.1 s; more than 20,000 are not looked at.
 */
async function handledByReact(cdp: CDPSession, contextId: number) {
  const expression = `(${placesOfHandlers})()`;
  const { result } = await cdp.send("Runtime.evaluate", { expression, contextId, returnByValue: true });
  return handledShape.parse(result.value ?? null);
}

function placesOfHandlers(): { total: number; at: number[] } | null {
  const all = document.querySelectorAll("*");
  const at: number[] = [];
  let key: string | undefined;
  for (let place = 0; place < all.length && all.length <= 20_000 && at.length < 500; place++) {
    const element = all[place] as unknown as Record<string, { onClick?: unknown } | undefined>;
    if (key === undefined || element[key] === undefined) {
      key = Object.keys(element).find((name) => name.startsWith("__reactProps$")) ?? key;
    }
    if (key !== undefined && typeof element[key]?.onClick === "function") at.push(place);
  }
  return at.length === 0 ? null : { total: all.length, at };
}
