import { setTimeout as sleep } from "node:timers/promises";
import { DevflowError } from "@devflow/core/errors";
import type { Answer, BrowseInput, Tab, TabScope } from "../../command.ts";
import type { PageRef } from "../../page-world/questions.ts";
import { tabVersion } from "../../receipts/wait-for-effect.ts";
import { captureTree, factsFor } from "../../snapshot/capture-tree.ts";
import { isField, isInteractive } from "../../snapshot/interactive.ts";
import { lineOf, quote } from "../../snapshot/line.ts";
import { newsLines } from "../../snapshot/news-lines.ts";
import { type Outline, type OutlineNode, outlineOf } from "../../snapshot/outline.ts";
import type { PageNode, PageTree } from "../../snapshot/page-tree.ts";
import { placeTargets } from "../../snapshot/place-targets.ts";
import { placesOf } from "../../snapshot/places.ts";
import { refBookOf } from "../../snapshot/ref-book.ts";
import { rolelessControls } from "../../snapshot/roleless-controls.ts";
import { isRow, rowsOf } from "../../snapshot/rows.ts";
import { isStillLoading } from "../../targets/still-loading.ts";
import type { findRecord } from "../read.ts";

type FindInput = BrowseInput<typeof findRecord>;

/** How long words may take to appear on a page that is not loading anything, and in all. */
const quietMs = 500;
const mostMs = 1_500;
const pollMs = 60;

export async function find(input: FindInput, { tab }: TabScope): Promise<Answer> {
  const pattern = patternOf(input);
  const start = performance.now();
  let quietSince = start;
  for (;;) {
    const begun = performance.now();
    const [search, isLoading] = await Promise.all([lookFor(tab, pattern), isStillLoading(tab)]);
    const now = performance.now();
    if (isLoading) quietSince = now;
    if (search.isTelling || now - start > mostMs || now - quietSince > quietMs) {
      return await answer(tab, input, search, isLoading);
    }
    // A large page gets as much time for itself as reading it takes.
    await sleep(Math.max(pollMs, now - begun));
  }
}

interface Search {
  readonly outline: Outline;
  readonly places: ReadonlyMap<PageNode, string>;
  readonly found: readonly FoundNode[];
  readonly clickables: ReadonlySet<PageRef>;
  /** Found is more than what was just typed into a field. */
  readonly isTelling: boolean;
}

async function lookFor(tab: Tab, pattern: RegExp): Promise<Search> {
  const [read, roleless] = await Promise.all([
    captureTree(tab, { pattern: pattern.source }),
    rolelessControls(tab),
    // What was announced meanwhile may be gone by now.
    tabVersion(tab),
  ]);
  const { editables } = roleless;
  const clickables = new Set(roleless.clickables.map(({ ref }) => ref));
  const tree = placeTargets(read, roleless.clickables, true);
  const outline = outlineOf(tree, { editables, clickables });
  const controls = outline.filter(({ interactive }) => interactive);
  const places = placesOf(
    tree,
    controls.map(({ page }) => page),
  );
  const found = withNeighbours(withRows(tree, outline, pattern, editables), controls, places, pattern);
  const isTyped = ({ page }: OutlineNode) => isField(page) && !pattern.test(page.name);
  return { outline, places, found, clickables, isTelling: found.some(({ node }) => !isTyped(node)) };
}

async function answer(tab: Tab, input: FindInput, search: Search, isLoading: boolean): Promise<Answer> {
  const { outline, places, found, clickables } = search;
  const shown = found.slice(0, input.limit);
  const nodes = shown.flatMap(({ node, controls }) => [node, ...controls]);
  const { of: facts } = await factsFor(
    tab,
    nodes.map(({ page }) => page),
    undefined,
    clickables,
  );
  const book = refBookOf(tab);
  const lineOfNode = (node: OutlineNode, depth = 0): string => {
    const { page, role } = node;
    const name = page.name || (role === "clickable" ? (page.text ?? "") : "");
    const kind = role === "clickable" && !page.hasPointerCursor ? "c" : "e";
    const ref = page.ref === undefined || role === "text" ? undefined : book.refFor(page.ref, { role, name }, kind);
    return lineOf({ ...node, depth }, ref, facts.get(page.ref ?? ""));
  };
  const lines = shown.map(({ node, controls }) => {
    const place = node.interactive ? places.get(node.page) : undefined;
    const own = lineOfNode({ ...node, ...(place && { place }) });
    const first = place || isRow(node.page) ? own : `${own}${placeOf(outline, node)}`;
    return [first, ...controls.map((control) => lineOfNode(control, 1))].join("\n");
  });
  const total = found.length;
  if (total > lines.length) lines.push(`… ${total - lines.length} more: --limit ${total}`);
  const words = `nothing on the page contains ${JSON.stringify(input.words)}`;
  const nothing = isLoading ? `${words} so far; the page is still loading` : words;
  const news = newsLines(tab, lines);
  const said = news.map((line) => `meanwhile: ${line}`);
  const data = {
    found: lines,
    total,
    ...(total === 0 && isLoading && { isLoading }),
    ...(news.length > 0 && { news }),
  };
  return { text: [...said, lines.join("\n") || nothing].join("\n"), data, fromPage: true };
}

interface FoundNode {
  readonly node: OutlineNode;
  /** Those of its row, where it is a row. */
  readonly controls: readonly OutlineNode[];
}

const maxControls = 8;

/** Words in a row, item or card stand for all of it: an agent that finds a person wants the buttons beside the name. */
function withRows(tree: PageTree, outline: Outline, pattern: RegExp, editables: ReadonlySet<PageRef>): FoundNode[] {
  const rows = rowsOf(tree);
  // Every cell of a row may listen for clicks, and then they are no controls of it.
  const isControl = ({ page }: OutlineNode) => isInteractive(page, editables);
  const told = new Set<PageNode>();
  const found = outline.flatMap((node): FoundNode[] => {
    const { page } = node;
    if (!pattern.test(page.name) && !pattern.test(page.text ?? "")) return [];
    const around = isControl(node) ? undefined : isRow(page) ? page : rows.around(page);
    const words = around ? rows.wordsOf(around) : "";
    const row = around && pattern.test(words) ? outline.find((one) => one.page === around) : undefined;
    if (!around || !row) return [{ node, controls: [] }];
    if (told.has(around)) return [];
    told.add(around);
    const inside = outline.slice(row.index + 1, row.end).filter(isControl);
    const named = { ...row, page: { ...around, name: words, text: undefined } };
    return [{ node: named, controls: inside.slice(0, maxControls) }];
  });
  const listed = new Set(found.flatMap(({ controls }) => controls));
  return found.filter(({ node }) => !listed.has(node));
}

/** A card is known by its words as a row is: what can be clicked in it belongs to them. */
function withNeighbours(
  found: readonly FoundNode[],
  controls: readonly OutlineNode[],
  places: ReadonlyMap<PageNode, string>,
  pattern: RegExp,
): FoundNode[] {
  const known = new Set(found.flatMap(({ node, controls: own }) => [node, ...own]).map(({ page }) => page));
  const near = controls.filter(({ page }) => !known.has(page) && pattern.test(places.get(page) ?? ""));
  return [...found, ...near.map((node) => ({ node, controls: [] }))].toSorted((a, b) => a.node.index - b.node.index);
}

/** The nearest named container, to distinguish equal lines; for words without a control also the heading they are under. */
function placeOf(outline: readonly OutlineNode[], node: OutlineNode): string {
  const heading = node.interactive ? undefined : headingOf(outline, node);
  for (let at = node.parent; at > (heading?.index ?? -1); at = outline[at]!.parent) {
    const { page, role } = outline[at]!;
    if (page.name !== "") return `  in ${role} ${quote(page.name, maxPlace)}`;
  }
  return heading ? `  under ${heading.role} ${quote(wordsOf(heading), maxPlace)}` : "";
}

const maxPlace = 60;
const wordsOf = ({ page }: OutlineNode): string => page.name || (page.text ?? "");

/** The last one before it in its document. */
function headingOf(outline: readonly OutlineNode[], { index, role, page }: OutlineNode): OutlineNode | undefined {
  if (role === "heading") return undefined;
  const before = outline.slice(0, index);
  return before.findLast((one) => one.role === "heading" && one.page.frame === page.frame && wordsOf(one) !== "");
}

function patternOf({ words, regex }: FindInput): RegExp {
  try {
    return new RegExp(regex ? words : RegExp.escape(words), "iu");
  } catch (error) {
    const details = {
      problem: `${words} is not a regular expression.`,
      next: "Omit --regex to search for plain text.",
    };
    throw new DevflowError("input_invalid", { details, cause: error });
  }
}
