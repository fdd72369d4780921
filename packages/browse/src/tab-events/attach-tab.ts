/** Prepares a tab for its first command. Further calls for the same tab do nothing. */
import type { Tab } from "../command.ts";
import { askPage } from "../page-world/ask-page.ts";
import { followWorld } from "../page-world/direct-way.ts";
import { answerDialogs } from "./dialogs.ts";
import { keepDownloads } from "./downloads.ts";
import { followNavigations } from "./navigations.ts";

const attached = Symbol("browse tab attached");

export function attachTab(tab: Tab): void {
  tab.memory(attached, () => {
    answerDialogs(tab);
    keepDownloads(tab);
    followNavigations(tab);
    followWorld(tab);
    // From here on the page's announcements are kept.
    tab.page.on(
      "domcontentloaded",
      (page) => void askPage(page.mainFrame(), { ask: "version" }).catch(() => undefined),
    );
    return true;
  });
}
