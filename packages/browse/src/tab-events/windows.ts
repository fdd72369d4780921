/**
 * The windows that a tab's page asked for. Chromium says so before it answers the press that did it; the tab itself comes later.
 *
 * - `followWindows(tab)` from now on.
 * - `windowsAsked(tab)` how many so far.
 */
import type { Tab } from "../command.ts";

const windowsOfTab = Symbol("browse windows");
const windowsOf = (tab: Tab) => tab.memory(windowsOfTab, () => ({ asked: 0 }));

export const windowsAsked = (tab: Tab): number => windowsOf(tab).asked;

export function followWindows(tab: Tab): void {
  const known = windowsOf(tab);
  const follow = async () => {
    const cdp = await tab.cdp();
    cdp.on("Page.windowOpen", () => {
      known.asked += 1;
    });
    await cdp.send("Page.enable");
  };
  // A tab that closes at this moment opens none.
  void follow().catch(() => undefined);
}
