/**
 * Downloads of a tab.
 *
 * - `keepDownloads(tab)` from now on, each is kept in the browser's folder until its session ends, and logged.
 * - `lastDownload(tab)` the newest one, to be saved elsewhere.
 * - `downloadsUnderWay(tab)` how many have started but not ended.
 */
import { stat } from "node:fs/promises";
import type { Download } from "playwright-core";
import type { Tab } from "../command.ts";

interface Downloads {
  last: Download | undefined;
  underWay: number;
  begun: number;
}

const downloadsOfTab = Symbol("browse downloads");
const downloadsOf = (tab: Tab): Downloads =>
  tab.memory(downloadsOfTab, () => ({ last: undefined, underWay: 0, begun: 0 }));

export function keepDownloads(tab: Tab): void {
  tab.page.on("download", (download) => void keep(tab, download));
}

export const lastDownload = (tab: Tab): Download | undefined => downloadsOf(tab).last;
export const downloadsUnderWay = (tab: Tab): number => downloadsOf(tab).underWay;
export const downloadsBegun = (tab: Tab): number => downloadsOf(tab).begun;

async function keep(tab: Tab, download: Download): Promise<void> {
  const downloads = downloadsOf(tab);
  downloads.last = download;
  downloads.begun += 1;
  downloads.underWay += 1;
  const suggestedName = download.suggestedFilename();
  try {
    const path = await download.path();
    tab.logs.downloads.push({ suggestedName, path, bytes: (await stat(path)).size });
  } catch (error) {
    const failure = (await download.failure().catch(() => null)) ?? String(error);
    tab.logs.downloads.push({ suggestedName, failure });
  } finally {
    downloads.underWay -= 1;
  }
}
