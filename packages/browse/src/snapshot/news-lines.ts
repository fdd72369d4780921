/**
 * What a page announced, told once.
 *
 * - `newsLines(tab, news, shown)` a line for each announcement that was not told before and is not among what is shown.
 */
import type { Tab } from "../command.ts";
import type { Announcement } from "../page-world/questions.ts";
import { quote } from "./line.ts";
import type { PageTree } from "./page-tree.ts";

const toldInTab = Symbol("browse news");

export function newsLines(tab: Tab, news: readonly Announcement[], shown: PageTree | readonly string[]): string[] {
  const told = tab.memory(toldInTab, () => new Set<string>());
  const isShown = (text: string): boolean =>
    "nodes" in shown
      ? shown.nodes.some(({ role, name, text: own }) => role !== "generic" && (name === text || own === text))
      : shown.some((line) => line.includes(JSON.stringify(text).slice(1, -1)));
  return news.flatMap(({ id, role, text, gone }) => {
    const key = `${id} ${text}`;
    if (told.has(key)) return [];
    told.add(key);
    return isShown(text) ? [] : [`${role} ${quote(text, 200)}${gone ? " [gone]" : ""}`];
  });
}
