/**
 * Pages in the middle of something, whose next state is what an agent wants to know.
 *
 * - `busyMs(before, after, on, opens)` pure: how long to wait for more, if all that happened is that the element that was acted on says
 *   that it is at work, or has the words that suggestions are looked up for; otherwise undefined.
 * - `isAtWork(before, after, on)` pure: what was acted on says so.
 * - `isLoading(tree, known)` pure: the page says that something is being loaded, or has a frame without content yet; what `known` had
 *   does not count.
 * - `isWayStation(tree)` pure: there is nothing to do but to wait for the next page.
 */
import type { PageRef } from "../page-world/questions.ts";
import { diffTrees } from "../snapshot/diff.ts";
import { isInteractive } from "../snapshot/interactive.ts";
import type { PageNode, PageTree } from "../snapshot/page-tree.ts";

const workMs = 1_500;
/** Searches begin when nothing more is typed for 0.3 to 0.5 s. */
const suggestMs = 600;
const suggesting = new Set(["combobox", "searchbox"]);
const searching = /search|filter|find|lookup|such|buscar|recherch|cerca|zoek/i;

export function busyMs(before: PageTree, after: PageTree, on: PageRef | undefined, opens = false): number | undefined {
  const is = nodeOf(after, on);
  const was = nodeOf(before, on);
  if (!is || !was) return undefined;
  const isSearch =
    opens || suggesting.has(is.role) || (is.role === "textbox" && searching.test(`${is.name} ${is.placeholder}`));
  const isTyped = isSearch && is.text !== was.text;
  if (!isTyped && !isAtWork(before, after, on)) return undefined;
  const { added, changed } = diffTrees(before, after);
  const isOwn = [...added, ...changed.map((change) => change.after)].every(
    ({ index }) => index >= is.index && index < is.end,
  );
  return isOwn ? (isTyped ? suggestMs : workMs) : undefined;
}

export function isAtWork(before: PageTree, after: PageTree, on: PageRef | undefined): boolean {
  const is = nodeOf(after, on);
  const was = nodeOf(before, on);
  if (!is || !was) return false;
  const isStopped = is.states.includes("disabled") && !was.states.includes("disabled");
  return isStopped || (is.name !== was.name && /(…|\.\.\.)$/.test(is.name.trim()));
}

const nodeOf = ({ nodes }: PageTree, on: PageRef | undefined): PageNode | undefined =>
  on === undefined ? undefined : nodes.find(({ ref }) => ref === on);

const noEditables: ReadonlySet<string> = new Set();
const loadingWords = /^(loading|please wait|one moment)\b[^.…]{0,30}(…|\.\.\.)?$/i;

export function isLoading({ nodes }: PageTree, known?: PageTree): boolean {
  const old = new Set(known?.nodes.map(({ ref }) => ref));
  const said = new Set(known?.nodes.map(wordsOf));
  const isKnown = (node: PageNode) => node.ref !== undefined && old.has(node.ref);
  return nodes.some((node) => !isKnown(node) && ((isSpinner(node) && !said.has(wordsOf(node))) || isEmptyFrame(node)));
}

const wordsOf = ({ name, text = "" }: PageNode): string => (name || text).trim();
/** "Loading dock" may be the name of a control. */
const isSpinner = (node: PageNode): boolean => !isInteractive(node, noEditables) && loadingWords.test(wordsOf(node));

const isEmptyFrame = ({ role, ref, index, end }: PageNode): boolean =>
  role === "iframe" && ref !== undefined && end === index + 1;

const mostWords = 200;
const waiting =
  /(…|\.\.\.)|\b(loading|one moment|just a (moment|second)|hold on|please wait|redirect|taking you|(be(ing)?|are) (taken|forwarded|sent) (back )?to)/i;

export function isWayStation({ nodes }: PageTree): boolean {
  if (nodes.some((node) => isInteractive(node, noEditables))) return false;
  const words = nodes.map(({ name, text }) => name || (text ?? "")).join(" ");
  // A spinner may have no words at all.
  if (words.trim() === "") return true;
  return words.length < mostWords && waiting.test(words);
}
