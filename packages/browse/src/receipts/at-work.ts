/**
 * Pages in the middle of something, whose next state is what an agent wants to know.
 *
 * - `busyMs(before, after, on, opens)` pure: how long to wait for more, if all that happened is that the element that was acted on says
 *   that it is at work, or has the words that suggestions are looked up for; otherwise undefined.
 * - `isAtWork(before, after, on)` pure: what was acted on says so.
 * - `isLoading(tree, known)` pure: the page says that something is being loaded, or has a frame without content yet; what `known` had
 *   does not count.
 * - `saysWorking(tree, known)` pure: only the first of these.
 * - `saysItCloses(tree)` pure: a popup that has done what it was opened for.
 * - `isWayStation(tree)` pure: there is nothing to do but to wait for the next page; a header with links does not count.
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
  const isInField = ({ index }: PageNode) => index >= is.index && index < is.end;
  // The icon that clears a field comes with its first letter, in a box around both.
  const hasWords = ({ index, end }: PageNode) =>
    after.nodes.slice(index, end).some((node) => !isInField(node) && wordsOf(node) !== "");
  const isOwn = !added.some(hasWords) && changed.every((change) => isInField(change.after));
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
/** "Payment confirmed. Returning you to the shop…" */
const doing = /(^|[.!] )(?!(any|every|no|some)thing)\w{3,}ing\b[^.…]{0,50}(…|\.\.\.)$/i;
const loadingWords = /^(loading|please wait|one moment)\b[^.…]{0,30}(…|\.\.\.)?$/i;

export function isLoading(tree: PageTree, known?: PageTree): boolean {
  return saysWorking(tree, known) || newNodes(tree, known).some(isEmptyFrame);
}

export function saysWorking(tree: PageTree, known?: PageTree): boolean {
  const said = new Set(known?.nodes.map(wordsOf));
  return newNodes(tree, known).some((node) => isSpinner(node) && !said.has(wordsOf(node)));
}

function newNodes({ nodes }: PageTree, known: PageTree | undefined): readonly PageNode[] {
  const old = new Set(known?.nodes.map(({ ref }) => ref));
  // What is announced often has its element before it has its words.
  return nodes.filter(({ ref, role }) => ref === undefined || role === "status" || !old.has(ref));
}

const wordsOf = ({ name, text = "" }: PageNode): string => (name || text).trim();
/** "Loading dock" may be the name of a control. */
const isSpinner = (node: PageNode): boolean =>
  !isInteractive(node, noEditables) &&
  (loadingWords.test(wordsOf(node)) ||
    doing.test(wordsOf(node)) ||
    (node.role === "status" && /\w(…|\.\.\.)$/.test(wordsOf(node))));

const isEmptyFrame = ({ role, ref, index, end }: PageNode): boolean =>
  role === "iframe" && ref !== undefined && end === index + 1;

const mostWords = 200;
/** Of a header. */
const mostLinks = 6;
/** A sentence about what goes on, not one that is cut. */
const ending = /^\S+ \S+.*(…|\.\.\.|[.!])$/s;
const waiting =
  /(…|\.\.\.)|\b(loading|one moment|just a (moment|second)|hold on|please wait|redirect|taking you|(be(ing)?|are) (taken|forwarded|sent) (back )?to)/i;

/** Not "You may close this window", which nobody has to wait for. */
const closing =
  /\b(window|tab|page|popup)\b[^.]{0,40}\b(closes|is closing|will (be )?close)|\b(closes|closing)\b[^.]{0,20}\b(itself|automatically)/i;

export const saysItCloses = ({ nodes }: PageTree): boolean =>
  nodes.some((node) => !isInteractive(node, noEditables) && closing.test(wordsOf(node)));

export function isWayStation({ nodes }: PageTree): boolean {
  const controls = nodes.filter((node) => isInteractive(node, noEditables));
  if (controls.length > mostLinks || controls.some(({ role }) => role !== "link")) return false;
  const said = nodes
    .filter(({ index }) => !controls.some((link) => index >= link.index && index < link.end))
    .map(wordsOf);
  const words = said.join(" ");
  // A spinner may have no words at all.
  if (words.trim() === "") return controls.length === 0;
  if (words.length >= mostWords) return false;
  // Beside the links of its header it has to say so in a line of its own.
  return controls.length === 0 ? waiting.test(words) : said.some((line) => ending.test(line) && waiting.test(line));
}
