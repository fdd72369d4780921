/** Prepares a tab for its first command. Further calls for the same tab do nothing. */
import type { Frame } from "playwright-core";
import type { Tab } from "../command.ts";
import { askPage } from "../page-world/ask-page.ts";
import { followWorld } from "../page-world/direct-way.ts";
import { answerDialogs } from "./dialogs.ts";
import { keepDownloads } from "./downloads.ts";
import { followNavigations } from "./navigations.ts";
import { followRequests } from "./requests.ts";
import { followWindows } from "./windows.ts";

/** Pages with more are full of advertisements. */
const mostFrames = 20;

const attached = Symbol("browse tab attached");

export function attachTab(tab: Tab): void {
  tab.memory(attached, () => {
    answerDialogs(tab);
    keepDownloads(tab);
    followNavigations(tab);
    followRequests(tab);
    followWindows(tab);
    followWorld(tab);
    // From here on the announcements of a document are kept.
    const listen = (frame: Frame) => void askPage(frame, { ask: "version" }).catch(() => undefined);
    tab.page.on("domcontentloaded", (page) => listen(page.mainFrame()));
    tab.page.on("framenavigated", (frame) => {
      if (frame.parentFrame() && tab.page.frames().length <= mostFrames) listen(frame);
    });
    return true;
  });
}
