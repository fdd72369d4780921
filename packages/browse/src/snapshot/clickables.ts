/**
 * Finds elements that can be clicked but have no role for it, by their event listeners.
 *
 * - `listeningElements(tab, most)` those whose listeners only the browser knows; on pages with more than `most` listening
 *   elements only how many there are, since each takes a round trip.
 * - `clickableLines(tab, found)` as `@c` refs.
 */
import type { CDPSession } from "playwright-core";
import { z } from "zod";
import type { Tab } from "../command.ts";
import { worldsOf } from "../page-world/direct-way.ts";
import type { IsolatedContext } from "../page-world/isolated-contexts.ts";
import { forgetPageObjects, pageObjects } from "../page-world/page-objects.ts";
import type { ClickableElement } from "../page-world/questions.ts";
import { hasNoFrames } from "./capture-tree.ts";
import { quote } from "./line.ts";
import { refBookOf } from "./ref-book.ts";
import type { SnapshotNode } from "./render.ts";

const answerShape = z.array(z.object({ ref: z.string(), name: z.string(), holdsControls: z.boolean() })).catch([]);

export interface Listening {
  readonly elements: readonly ClickableElement[];
  /** How many elements listen that were not looked at. */
  readonly skipped: number;
}

export interface Clickables {
  readonly lines: readonly string[];
  readonly nodes: readonly SnapshotNode[];
}

export async function listeningElements(tab: Tab, most: number): Promise<Listening> {
  const contexts = await worldsOf(tab).catch(() => []);
  const nothing: Listening = { elements: [], skipped: 0 };
  const found = await Promise.all(contexts.map((context) => listeningIn(tab, context, most).catch(() => nothing)));
  return {
    elements: found.flatMap(({ elements }) => elements),
    skipped: found.reduce((sum, { skipped }) => sum + skipped, 0),
  };
}

export function clickableLines(tab: Tab, found: readonly ClickableElement[]): Clickables {
  const book = refBookOf(tab);
  const nodes = found.map(({ ref, name }) => ({
    ref: book.refFor(ref, { role: "clickable", name }, "c"),
    role: "clickable",
    name,
    states: [],
    depth: 0,
    frame: 0,
    visible: true,
  }));
  return {
    nodes,
    lines: nodes.map(({ ref, name }) => `@${ref} clickable ${name.startsWith("<") ? name : quote(name, 80)}`),
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
  { cdp, contextId, unique, pageContextId }: IsolatedContext,
  most: number,
): Promise<Listening> {
  const objectGroup = `devflow-${crypto.randomUUID()}`;
  try {
    const listeners = await listenersOf(tab, pageContextId, cdp, objectGroup);
    const nodes = new Set(listeners.flatMap(({ type, backendNodeId }) => (clicks.has(type) && backendNodeId) || []));
    if (nodes.size === 0) return { elements: [], skipped: 0 };
    if (nodes.size > most) return { elements: [], skipped: nodes.size };
    const handles = await Promise.all([...nodes].map((node) => resolve(node)));
    const answer = await cdp.send("Runtime.callFunctionOn", {
      uniqueContextId: unique,
      functionDeclaration: "function (...nodes) { return globalThis.__devflow.clickables(nodes); }",
      arguments: handles.flatMap((objectId) => (objectId ? [{ objectId }] : [])),
      returnByValue: true,
    });
    return { elements: answerShape.parse(answer.result.value), skipped: 0 };
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

/** Of the whole document. That of a page without frames is known. */
async function listenersOf(tab: Tab, contextId: number, cdp: CDPSession, objectGroup: string) {
  const ask = async (objectId: string) =>
    (await cdp.send("DOMDebugger.getEventListeners", { objectId, depth: -1, pierce: true })).listeners;
  if (hasNoFrames(tab)) {
    const { document } = await pageObjects(tab);
    const listeners = await ask(document).catch(() => undefined);
    if (listeners) return listeners;
    forgetPageObjects(tab);
  }
  const { result } = await cdp.send("Runtime.evaluate", { expression: "document", contextId, objectGroup });
  return result.objectId ? await ask(result.objectId) : [];
}
