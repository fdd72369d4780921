/**
 * What a page announced, told once.
 *
 * - `hearNews(tab, news)` at each reading of the page, since its next document knows nothing of it.
 * - `hasNews(tab)` whether something was heard that was not told yet.
 * - `newsLines(tab, shown)` a line for each announcement that was heard, not told before, and is not among what is shown: a tree,
 *   lines, or the text of the page.
 */
import type { Tab } from "../command.ts";
import type { Announcement } from "../page-world/questions.ts";
import { quote } from "./line.ts";
import { type PageNode, type PageTree, wordsIn } from "./page-tree.ts";

/** A snapshot always shows them, with their words. */
const announcing: ReadonlySet<string> = new Set(["alert", "status"]);

/** Lines are cut where they get longer. */
const sureLength = 60;

interface Heard {
  readonly waiting: Map<number, Announcement>;
  readonly told: Set<number>;
}

const newsOfTab = Symbol("browse news");
const heardIn = (tab: Tab): Heard => tab.memory(newsOfTab, () => ({ waiting: new Map(), told: new Set() }));

export function hearNews(tab: Tab, news: readonly Announcement[]): void {
  const { waiting, told } = heardIn(tab);
  for (const one of news) if (!told.has(one.id)) waiting.set(one.id, one);
}

export const hasNews = (tab: Tab): boolean => heardIn(tab).waiting.size > 0;

export function newsLines(tab: Tab, shown: PageTree | readonly string[] | string): string[] {
  const { waiting, told } = heardIn(tab);
  const news = [...waiting.values()];
  waiting.clear();
  for (const { id } of news) told.add(id);
  const isShown = saysIn(shown);
  return news.flatMap(({ role, text, gone }) =>
    isShown(text) ? [] : [`${role} ${quote(text, 200)}${gone ? " [gone]" : ""}`],
  );
}

function saysIn(shown: PageTree | readonly string[] | string): (text: string) => boolean {
  if (typeof shown === "string") {
    const printed = inOneLine(shown);
    return (text) => printed.includes(inOneLine(text));
  }
  if ("nodes" in shown) return (text) => shown.nodes.some((node) => isSaying(shown.nodes, node, text));
  return (text) => shown.some((line) => line.includes(JSON.stringify(text.slice(0, sureLength)).slice(1, -1)));
}

const isSaying = (nodes: PageTree["nodes"], node: PageNode, text: string): boolean =>
  (node.role !== "generic" && (node.name === text || node.text === text)) ||
  (announcing.has(node.role) && wordsIn(nodes, node) === text);

const inOneLine = (words: string): string => words.replace(/\s+/g, " ").trim();
