/**
 * Hears what a person does in a tab.
 *
 * - `watchPerson(tab, listener)` from now on, in this document and the next ones, frames included; returns the end.
 *
 * The page's isolated world tells it through a binding that only this world has, so that a page can neither tell something
 * nor hear it.
 */
import type { CDPSession, Frame } from "playwright-core";
import type { Tab } from "../command.ts";
import { askPage } from "../page-world/ask-page.ts";
import { contextsOf } from "../page-world/isolated-contexts.ts";
import { type Act, parseAct } from "./acts.ts";

export interface PersonListener {
  onAct(act: Act): void;
  /** The person opened another page by the address line, the history or a reload; no page asked for it. */
  onVisit(url: string): void;
}

interface NewFrame {
  readonly parentId?: string;
  readonly url: string;
  readonly urlFragment?: string;
}

interface WithinDocument {
  readonly frameId: string;
  readonly url: string;
  readonly navigationType: string;
}

/** How long after an act its effect may come. */
const effectMs = 1_500;
const bindingName = "__devflowAct";

export async function watchPerson(tab: Tab, listener: PersonListener): Promise<() => Promise<void>> {
  const { page } = tab;
  const open: CDPSession[] = [];
  let actedAt = Number.NEGATIVE_INFINITY;
  /** In a session of its own, since listing the contexts in a session removes its bindings. */
  const bind = async (frame: Frame): Promise<void> => {
    // A frame has a session only if it is in another process; the others share that of their page.
    const newSession = () => page.context().newCDPSession(frame === page.mainFrame() ? page : frame);
    const lister = frame === page.mainFrame() ? await tab.cdp() : await newSession().catch(() => undefined);
    const name = lister && (await contextsOf(lister))[0]?.name;
    if (name === undefined) return;
    const cdp = await newSession();
    open.push(cdp);
    cdp.on("Runtime.bindingCalled", (call) => {
      const act = call.name === bindingName ? parseAct(call.payload) : undefined;
      if (!act) return;
      actedAt = performance.now();
      listener.onAct(act);
    });
    // Otherwise the next documents do not get it.
    await cdp.send("Runtime.enable");
    await cdp.send("Runtime.addBinding", { name: bindingName, executionContextName: name });
  };
  const bound = new WeakSet<Frame>();
  const watch = async (frame: Frame): Promise<void> => {
    // Before it is bound, Devflow's code must be there.
    await askPage(frame, { ask: "document" });
    if (!bound.has(frame)) {
      bound.add(frame);
      await bind(frame);
    }
    await askPage(frame, { ask: "watchPerson", on: true });
  };
  // A frame that is gone by then has nothing to tell.
  const watchLater = (frame: Frame) => void watch(frame).catch(() => undefined);

  const cdp = await tab.cdp();
  let isAskedByPage = false;
  const onRequested = ({ frameId }: { readonly frameId: string }) => {
    if (frameId === mainId) isAskedByPage = true;
  };
  const onDocument = ({ frame }: { readonly frame: NewFrame }) => {
    if (frame.parentId !== undefined) return;
    if (!isAskedByPage) listener.onVisit(`${frame.url}${frame.urlFragment ?? ""}`);
    isAskedByPage = false;
  };
  // A router in the page asks for nothing when it changes the URL, and the history may be used by either of them.
  const onWithinDocument = ({ frameId, url, navigationType }: WithinDocument) => {
    const isByPage = navigationType === "historyApi" || performance.now() - actedAt < effectMs;
    if (frameId === mainId && !isByPage) listener.onVisit(url);
  };
  const onFrame = (frame: Frame) => {
    if (frame !== page.mainFrame()) watchLater(frame);
  };
  const onLoaded = () => watchLater(page.mainFrame());
  await cdp.send("Page.enable");
  const { frameTree } = await cdp.send("Page.getFrameTree");
  const mainId = frameTree.frame.id;
  cdp.on("Page.frameRequestedNavigation", onRequested);
  cdp.on("Page.frameNavigated", onDocument);
  cdp.on("Page.navigatedWithinDocument", onWithinDocument);
  page.on("framenavigated", onFrame);
  page.on("domcontentloaded", onLoaded);
  await Promise.all(page.frames().map((frame) => watch(frame).catch(() => undefined)));

  return async () => {
    cdp.off("Page.frameRequestedNavigation", onRequested);
    cdp.off("Page.frameNavigated", onDocument);
    cdp.off("Page.navigatedWithinDocument", onWithinDocument);
    page.off("framenavigated", onFrame);
    page.off("domcontentloaded", onLoaded);
    const stopped = page.frames().map((frame) => askPage(frame, { ask: "watchPerson", on: false }));
    await Promise.allSettled([...stopped, cdp.send("Page.disable"), ...open.map((one) => one.detach())]);
  };
}
