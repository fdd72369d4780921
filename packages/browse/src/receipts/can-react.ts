/**
 * Whether a page's scripts can react to a person at all. A page without listeners for it has no effect to wait for.
 *
 * - `canReact(tab)` asks the browser, which knows all listeners; true when it cannot say.
 */
import type { CDPSession, Frame } from "playwright-core";
import type { Tab } from "../command.ts";

const ofPeople =
  /^(auxclick|beforeinput|blur|change|click|contextmenu|dblclick|drag|focus|input|invalid|key|mouse|pointer|select|submit|toggle|touch|wheel)/;
/** Devflow's own, as page-world.ts registers them. */
const own = new Set(["input", "change", "toggle", "submit"]);

/** Chromium's names for the page's document and window. They are kept until the page navigates, which saves a round trip. */
interface Places {
  found: Promise<readonly string[]> | undefined;
}
const placesKey = Symbol("browse listening places");

export async function canReact(tab: Tab): Promise<boolean> {
  // Frames may be in other processes, and listeners in them count too.
  if (tab.page.frames().length > 1) return true;
  const places = placesOf(tab);
  try {
    const cdp = await tab.cdp();
    places.found ??= Promise.all(["document", "window"].map((expression) => objectIdOf(cdp, expression)));
    const listeners = await Promise.all((await places.found).map((objectId) => listenersOf(cdp, objectId)));
    return listeners.flat().some((one) => ofPeople.test(one.type) && !isOwn(one));
  } catch {
    places.found = undefined;
    return true;
  }
}

function placesOf(tab: Tab): Places {
  return tab.memory(placesKey, () => {
    const places: Places = { found: undefined };
    tab.page.on("framenavigated", (frame: Frame) => {
      if (frame === tab.page.mainFrame()) places.found = undefined;
    });
    return places;
  });
}

async function objectIdOf(cdp: CDPSession, expression: string): Promise<string> {
  const { result } = await cdp.send("Runtime.evaluate", { expression });
  return result.objectId ?? "";
}

async function listenersOf(cdp: CDPSession, objectId: string) {
  return (await cdp.send("DOMDebugger.getEventListeners", { objectId, depth: -1, pierce: true })).listeners;
}

type Listener = Awaited<ReturnType<typeof listenersOf>>[number];

const isOwn = ({ type, passive, useCapture }: Listener): boolean => own.has(type) && passive && useCapture;
