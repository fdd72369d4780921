/**
 * Chromium's names for the page's document and window, for questions about their listeners. They are kept until the page
 * navigates, which saves a round trip.
 *
 * - `pageObjects(tab)` both of them, in the page's own world.
 * - `forgetPageObjects(tab)` after a question that failed.
 */
import type { CDPSession, Frame } from "playwright-core";
import type { Tab } from "../command.ts";

interface PageObjects {
  readonly document: string;
  readonly window: string;
}

interface Known {
  found: Promise<PageObjects> | undefined;
}
const knownKey = Symbol("browse page objects");

export function pageObjects(tab: Tab): Promise<PageObjects> {
  const known = knownOf(tab);
  known.found ??= find(tab);
  return known.found;
}

export function forgetPageObjects(tab: Tab): void {
  knownOf(tab).found = undefined;
}

function knownOf(tab: Tab): Known {
  return tab.memory(knownKey, () => {
    const known: Known = { found: undefined };
    tab.page.on("framenavigated", (frame: Frame) => {
      if (frame === tab.page.mainFrame()) known.found = undefined;
    });
    return known;
  });
}

async function find(tab: Tab): Promise<PageObjects> {
  const cdp = await tab.cdp();
  const [document, window] = await Promise.all([objectIdOf(cdp, "document"), objectIdOf(cdp, "window")]);
  return { document, window };
}

async function objectIdOf(cdp: CDPSession, expression: string): Promise<string> {
  const { result } = await cdp.send("Runtime.evaluate", { expression });
  return result.objectId ?? "";
}
