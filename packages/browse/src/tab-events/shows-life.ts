/**
 * Whether a page answers. One whose script never ends does not.
 *
 * - `showsLife(tab, ms, over)` whether it answers in that time, or a dialog opens, or another document is on its way.
 * - `untilSilent(tab, ms, over)` resolves when it has not answered for that long; never when it is over before.
 * - `nextOf(page, over, listenersFor)` resolves at the first event that is told, or when it is over.
 * - `isWithin(work, ms)`
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Frame, Page, Request } from "playwright-core";
import type { Tab } from "../command.ts";
import { isOfMainFrame } from "./navigations.ts";

const betweenMs = 100;

export async function showsLife(tab: Tab, ms: number, over = new AbortController().signal): Promise<boolean> {
  const done = new AbortController();
  const signs = nextOf(tab.page, AbortSignal.any([done.signal, over]), (tell) => ({
    dialog: tell,
    close: tell,
    crash: tell,
    request: (request: Request) => isOfMainFrame(tab, request) && tell(),
    framenavigated: (frame: Frame) => frame === tab.page.mainFrame() && tell(),
  }));
  const asked = tab.cdp().then((cdp) => cdp.send("Runtime.evaluate", { expression: "1", returnByValue: true }));
  const answer = asked.then(
    () => undefined,
    () => undefined,
  );
  try {
    return await isWithin(Promise.race([answer, signs]), ms);
  } finally {
    done.abort();
  }
}

export async function untilSilent(tab: Tab, ms: number, over: AbortSignal): Promise<void> {
  while (await showsLife(tab, ms, over)) {
    if (over.aborted) return await new Promise(() => {});
    await sleep(betweenMs);
  }
}

type Listeners = Readonly<Record<string, (event: never) => unknown>>;

export function nextOf(page: Page, over: AbortSignal, listenersFor: (tell: () => void) => Listeners): Promise<void> {
  return new Promise((resolve) => {
    const listeners = Object.entries(listenersFor(() => end())) as [string, (event: unknown) => void][];
    const on = page as unknown as Pick<NodeJS.EventEmitter, "on" | "off">;
    const end = () => {
      for (const [name, listener] of listeners) on.off(name, listener);
      over.removeEventListener("abort", end);
      resolve();
    };
    for (const [name, listener] of listeners) on.on(name, listener);
    over.addEventListener("abort", end, { once: true });
    if (over.aborted) end();
  });
}

export async function isWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, ms, false);
  });
  try {
    return await Promise.race([work.then(() => true as const), late]);
  } finally {
    clearTimeout(timer);
  }
}
