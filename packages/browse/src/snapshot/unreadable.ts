/** What no snapshot can read: pictures drawn by script, and closed shadow roots. Each gets a ref and a hint. */
import type { Frame } from "playwright-core";
import type { Tab } from "../command.ts";
import { elementByRef } from "../page-world/ask-page.ts";
import type { Survey } from "../page-world/questions.ts";
import { quote } from "./line.ts";
import { refBookOf } from "./ref-book.ts";

export async function unreadable(tab: Tab, surveys: ReadonlyMap<Frame, Survey>): Promise<string[]> {
  const book = refBookOf(tab);
  const notes: string[] = [];
  for (const [frame, survey] of surveys) {
    for (const { ref, width, height, label } of survey.canvases) {
      const short = book.refFor(ref, { role: "canvas", name: label });
      const name = label ? ` ${quote(label, 60)}` : "";
      notes.push(`@${short} canvas${name} ${width}×${height}: drawn by script, look at it: screenshot @${short}`);
    }
    for (const ref of survey.closed) {
      const tag = await closedRootTag(tab, frame, ref).catch(() => undefined);
      if (!tag) continue;
      const short = book.refFor(ref, { role: tag, name: "" });
      notes.push(
        `@${short} <${tag}> has a closed shadow root: nothing inside has a ref, look at it: screenshot @${short}`,
      );
    }
  }
  return notes;
}

/** Only the browser itself can tell, so each element that may have one is asked about by CDP. */
async function closedRootTag(tab: Tab, frame: Frame, ref: string): Promise<string | undefined> {
  if (frame !== tab.page.mainFrame()) return undefined;
  const handle = await elementByRef(frame, ref).elementHandle({ timeout: 1_000 });
  if (!handle) return undefined;
  const mark = `devflow-${crypto.randomUUID()}`;
  try {
    const cdp = await tab.cdp();
    await handle.evaluate((element, key) => Reflect.set(globalThis, key, element), mark);
    const { result } = await cdp.send("Runtime.evaluate", { expression: `globalThis[${JSON.stringify(mark)}]` });
    if (!result.objectId) return undefined;
    const { node } = await cdp.send("DOM.describeNode", { objectId: result.objectId, pierce: true });
    return node.shadowRoots?.some((root) => root.shadowRootType === "closed") ? node.localName : undefined;
  } finally {
    await handle.evaluate((_, key) => Reflect.deleteProperty(globalThis, key), mark).catch(() => undefined);
    await handle.dispose();
  }
}
