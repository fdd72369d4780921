/**
 * Words for the states of browsers, and the choice of the tab to show.
 *
 * - `workspaceWord`, `bundleWord` a state as a word and a tone; `pictureNote` the caption of the picture.
 * - `chosenTab(sessions, wanted)` the tab in the URL, otherwise the current tab of a session that is running a command.
 */
import type { BrowseBundle, BrowsePicture, BrowseSessionView, BrowseTabView, BrowseWorkspace } from "@devflow/protocol";
import type { Word } from "../runs/run-words.ts";

export function workspaceWord({ state, browser }: Pick<BrowseWorkspace, "state" | "browser">): Word {
  if (state === "stopped") return { word: "Stopped", tone: "calm" };
  if (state === "no answer") return { word: "Not responding", tone: "warn" };
  return browser?.chromium === "running" ? { word: "Running", tone: "good" } : { word: "Idle", tone: "calm" };
}

const bundleWords = {
  holds: { word: "Intact", tone: "good" },
  open: { word: "Unfinished", tone: "busy" },
  broken: { word: "Broken", tone: "bad" },
} as const satisfies Record<BrowseBundle["state"], Word>;

export const bundleWord = ({ state }: Pick<BrowseBundle, "state">): Word => bundleWords[state];

export interface PictureNote extends Word {
  readonly detail: string;
}

export function pictureNote(picture: BrowsePicture | undefined): PictureNote {
  if (!picture) return { word: "Loading", tone: "calm", detail: "" };
  if (picture.state === "live") return { word: "Live", tone: "good", detail: "updated every second" };
  if (picture.state === "page does not answer") {
    const detail = `for ${Math.round((picture.silentMs ?? 0) / 1000)} s: a script is stuck or a dialog is open`;
    return { word: "Page not responding", tone: "warn", detail: `${detail}. Showing the last picture.` };
  }
  return {
    word: "No picture",
    tone: "calm",
    detail: "The tab is closed; the next command in it opens it again.",
  };
}

export interface ShownTab {
  readonly session: BrowseSessionView;
  readonly tab: BrowseTabView;
}

export function chosenTab(
  sessions: readonly BrowseSessionView[],
  wanted: { readonly session?: string | undefined; readonly tab?: string | undefined },
): ShownTab | undefined {
  const all = sessions.flatMap((session) => session.tabs.map((tab) => ({ session, tab })));
  const isWanted = ({ session, tab }: ShownTab) => session.name === wanted.session && tab.id === wanted.tab;
  const isAtWork = ({ session, tab }: ShownTab) => tab.isCurrent && session.running.length > 0;
  return all.find(isWanted) ?? all.find(isAtWork) ?? all.find(({ tab }) => tab.isCurrent) ?? all[0];
}

export const tabCount = ({ sessions }: Pick<BrowseWorkspace, "sessions">): number =>
  sessions.reduce((sum, { tabs }) => sum + tabs.length, 0);

/** The page's title, or its URL if it has none. */
export const tabName = ({ title, url }: Pick<BrowseTabView, "title" | "url">): string => title || url || "Empty tab";

export const count = (number: number, one: string, many = `${one}s`): string =>
  `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
