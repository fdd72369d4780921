/** What a snapshot cannot read: canvases, image maps and closed shadow roots. Each gets a ref and a hint. */
import type { Frame } from "playwright-core";
import type { Tab } from "../command.ts";
import { worldsOf } from "../page-world/direct-way.ts";
import type { IsolatedContext } from "../page-world/isolated-contexts.ts";
import type { FrameInventory, PageRef } from "../page-world/questions.ts";
import { quote } from "./line.ts";
import { refBookOf } from "./ref-book.ts";

export async function unreadable(
  tab: Tab,
  inventories: ReadonlyMap<Frame, FrameInventory>,
  isInScope: (ref: PageRef) => boolean,
): Promise<string[]> {
  const book = refBookOf(tab);
  const notes: string[] = [];
  for (const { ref, width, height, label } of [...inventories.values()].flatMap((inventory) => inventory.canvases)) {
    if (!isInScope(ref)) continue;
    const isKnown = book.at(ref) !== undefined;
    const short = book.refFor(ref, { role: "canvas", name: label });
    const name = label ? ` ${quote(label, 60)}` : "";
    // What to do with it is said once.
    const how = isKnown ? "" : `: drawn by script; screenshot @${short}; click @${short} at <x,y>`;
    notes.push(`@${short} canvas${name} ${width}×${height}${how}`);
  }
  for (const { ref, name, areas } of [...inventories.values()].flatMap((inventory) => inventory.maps)) {
    if (!isInScope(ref)) continue;
    const short = book.refFor(ref, { role: "img", name });
    const places = areas.map((area) => `${quote(area.name, 60)} at ${area.x},${area.y}`);
    notes.push(`@${short} img ${quote(name, 60)} has areas: ${places.join("; ")}; click one: click @${short} at <x,y>`);
  }
  const suspects = [...inventories.values()].flatMap((inventory) => inventory.closed).filter(isInScope);
  for (const [ref, tag] of await closedRoots(tab, suspects)) {
    const short = book.refFor(ref, { role: tag, name: "" });
    notes.push(
      `@${short} <${tag}> has a closed shadow root: nothing inside has a ref; see it with: screenshot @${short}; click a place in it: click @${short} at <x,y>`,
    );
  }
  return notes;
}

/** Only the browser knows, so it is asked about each element that may have one. */
async function closedRoots(tab: Tab, suspects: readonly PageRef[]): Promise<(readonly [PageRef, string])[]> {
  if (suspects.length === 0) return [];
  const contexts = await worldsOf(tab).catch(() => []);
  const asked = suspects.map(async (ref) => {
    for (const context of contexts) {
      const tag = await closedRootTag(context, ref).catch(() => undefined);
      if (tag) return [ref, tag] as const;
    }
    return undefined;
  });
  return (await Promise.all(asked)).filter((found) => found !== undefined);
}

async function closedRootTag({ cdp, contextId }: IsolatedContext, ref: PageRef): Promise<string | undefined> {
  const expression = `globalThis.__devflow?.find(${JSON.stringify(ref)})`;
  const { result } = await cdp.send("Runtime.evaluate", { expression, contextId });
  if (!result.objectId) return undefined;
  try {
    const { node } = await cdp.send("DOM.describeNode", { objectId: result.objectId });
    return node.shadowRoots?.some((root) => root.shadowRootType === "closed") ? node.localName : undefined;
  } finally {
    void cdp.send("Runtime.releaseObject", { objectId: result.objectId }).catch(() => undefined);
  }
}
