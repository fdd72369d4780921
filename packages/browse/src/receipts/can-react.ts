/**
 * Whether a page's scripts can react to a person at all. A page without listeners for it has no effect to wait for.
 *
 * - `canReact(tab)` asks the browser, which knows all listeners; true when it cannot say.
 */
import type { Tab } from "../command.ts";

const ofPeople =
  /^(auxclick|beforeinput|blur|change|click|contextmenu|dblclick|drag|focus|input|invalid|key|mouse|pointer|select|submit|toggle|touch|wheel)/;
/** Devflow's own, as page-world.ts registers them. */
const own = new Set(["input", "change", "toggle"]);

export async function canReact(tab: Tab): Promise<boolean> {
  // Frames may be in other processes, and listeners in them count too.
  if (tab.page.frames().length > 1) return true;
  const cdp = await tab.cdp();
  const objectGroup = "devflow-listeners";
  const listenersOf = async (expression: "document" | "window") => {
    const { result } = await cdp.send("Runtime.evaluate", { expression, objectGroup });
    const objectId = result.objectId ?? "";
    return (await cdp.send("DOMDebugger.getEventListeners", { objectId, depth: -1, pierce: true })).listeners;
  };
  try {
    const [inDocument, onWindow] = await Promise.all([listenersOf("document"), listenersOf("window")]);
    const isOwn = ({ type, passive, useCapture }: (typeof inDocument)[number]) =>
      own.has(type) && passive && useCapture;
    return [...inDocument, ...onWindow].some((one) => ofPeople.test(one.type) && !isOwn(one));
  } catch {
    return true;
  } finally {
    void cdp.send("Runtime.releaseObjectGroup", { objectGroup }).catch(() => undefined);
  }
}
