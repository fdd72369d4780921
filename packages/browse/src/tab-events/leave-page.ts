/**
 * Leaves a page that hangs. Chromium commits the next document in the process of the old one, so a script that never ends keeps
 * the tab for ever; and once the next document is under way, no message reaches the page that could end the script.
 *
 * - `letGo(tab)` before a navigation: a page that does not answer has its script terminated. `it hangs` when even that does not help;
 *   then only another tab can go on. A page that shows one dialog after the other gets no more of them.
 * - `whileLeaving(tab, navigation, onTerminated)` the navigation. A `beforeunload` handler that never ends is terminated.
 */
import type { Frame, Request } from "playwright-core";
import type { Tab } from "../command.ts";
import { isOfMainFrame, pendingNavigation, stopNavigation } from "./navigations.ts";
import { isWithin, nextOf, showsLife } from "./shows-life.ts";

/** A person would not call a page stuck before that. */
const silentMs = 500;
/** For a page whose script was terminated; on a busy machine it may only be slow. */
const graceMs = 1_500;
/** A page that navigates all the time is left by holding its requests, see hold-navigations. */
const longPendingMs = 500;
const dialogsMs = 1_000;
const manyDialogs = 3;

export type LetGo = "it answers" | "its script was terminated" | "it hangs";

export async function letGo(tab: Tab): Promise<LetGo> {
  const pending = pendingNavigation(tab);
  if (pending) {
    if (performance.now() - pending.since < longPendingMs) return "it answers";
    await stopNavigation(tab).catch(() => undefined);
  }
  if (showsManyDialogs(tab)) await muteDialogs(tab);
  if (await showsLife(tab, silentMs)) return "it answers";
  await terminateScript(tab);
  return (await showsLife(tab, graceMs)) ? "its script was terminated" : "it hangs";
}

export async function whileLeaving<T>(tab: Tab, navigation: Promise<T>, onTerminated: () => void): Promise<T> {
  const over = new AbortController();
  void endHangingFarewell(tab, over.signal, onTerminated).catch(() => undefined);
  try {
    return await navigation;
  } finally {
    over.abort();
  }
}

/** The request of the next document is sent when the handlers of `beforeunload` have returned. */
async function endHangingFarewell(tab: Tab, over: AbortSignal, onTerminated: () => void): Promise<void> {
  const hasBegun = nextOf(tab.page, over, (tell) => ({
    request: (request: Request) => isOfMainFrame(tab, request) && tell(),
    framenavigated: (frame: Frame) => frame === tab.page.mainFrame() && tell(),
  }));
  if (await isWithin(hasBegun, silentMs)) return;
  if (over.aborted || pendingNavigation(tab) || (await showsLife(tab, silentMs, over)) || over.aborted) return;
  onTerminated();
  await terminateScript(tab);
  // A termination that met no script would meet the first one of the next document; this takes it.
  await showsLife(tab, graceMs, over);
}

/** Handled on the renderer's input thread, so it arrives while the script runs; a stopped process never answers. */
async function terminateScript(tab: Tab): Promise<void> {
  const cdp = await tab.cdp();
  void cdp.send("Runtime.terminateExecution").catch(() => undefined);
}

function showsManyDialogs({ logs }: Tab): boolean {
  const since = Date.now() - dialogsMs;
  return (
    logs.dialogs.since(logs.dialogs.seq - manyDialogs).filter(({ at }) => Date.parse(at) >= since).length >= manyDialogs
  );
}

/** A dialog that opens while the next document arrives cannot be answered, and nothing arrives before it is. */
async function muteDialogs(tab: Tab): Promise<void> {
  const expression = `(function mute(view) {
    try {
      view.alert = view.confirm = view.prompt = view.print = () => undefined;
      for (let at = 0; at < view.length; at++) mute(view[at]);
    } catch {}
  })(window)`;
  const cdp = await tab.cdp();
  await isWithin(
    cdp.send("Runtime.evaluate", { expression }).catch(() => undefined),
    silentMs,
  );
}
