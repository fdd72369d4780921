/**
 * Whether a page's scripts can react to a person at all. A page without listeners for it has no effect to wait for.
 *
 * - `canReact(tab)` asks the browser, which knows all listeners; true when it cannot say.
 */
import type { CDPSession } from "playwright-core";
import type { Tab } from "../command.ts";
import { forgetPageObjects, pageObjects } from "../page-world/page-objects.ts";

const ofPeople =
  /^(auxclick|beforeinput|blur|change|click|contextmenu|dblclick|drag|focus|input|invalid|key|mouse|pointer|select|submit|toggle|touch|wheel)/;
/** Devflow's own, as page-world.ts registers them. */
const own = new Set(["input", "change", "toggle", "submit"]);

export async function canReact(tab: Tab): Promise<boolean> {
  // Frames may be in other processes, and listeners in them count too.
  if (tab.page.frames().length > 1) return true;
  try {
    const cdp = await tab.cdp();
    const { document, window } = await pageObjects(tab);
    const listeners = await Promise.all([document, window].map((objectId) => listenersOf(cdp, objectId)));
    return listeners.flat().some((one) => ofPeople.test(one.type) && !isOwn(one));
  } catch {
    forgetPageObjects(tab);
    return true;
  }
}

async function listenersOf(cdp: CDPSession, objectId: string) {
  return (await cdp.send("DOMDebugger.getEventListeners", { objectId, depth: -1, pierce: true })).listeners;
}

type Listener = Awaited<ReturnType<typeof listenersOf>>[number];

const isOwn = ({ type, passive, useCapture }: Listener): boolean => own.has(type) && passive && useCapture;
