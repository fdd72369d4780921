/**
 * What a target could have meant, told with refs.
 *
 * - `describeClosest(tab, wanted)` the elements closest to one that was not found, as the end of a sentence; `manyOf(…)` and
 *   `manyMatchError(…)` those that match equally, and how to name one of them.
 * - `adviceFor(command, error)` the same for a command that is not `click`. `coverError(tab, target, cover, page)` what lies over it;
 *   `withCloser(tab, error)` and what closes that.
 * - `labelOf(ref, role, name)` `labelOfNode(tab, node)` `@e3 button "Save"`; `labelsOf` with the place that tells it from others.
 */
import { DevflowError } from "@devflow/core/errors";
import type { Tab } from "../command.ts";
import type { PageRef } from "../page-world/questions.ts";
import { captureTree } from "../snapshot/capture-tree.ts";
import { closersOf } from "../snapshot/covers.ts";
import { isField } from "../snapshot/interactive.ts";
import { quote } from "../snapshot/line.ts";
import type { PageNode, PageTree } from "../snapshot/page-tree.ts";
import { placesOf } from "../snapshot/places.ts";
import { refBookOf } from "../snapshot/ref-book.ts";
import { controlsNamed, parseLine } from "./by-words.ts";
import { closestTo, type Wanted } from "./candidates.ts";
import { frameNames } from "./frames.ts";
import { sayingMore } from "./words-within.ts";

export interface Candidate {
  readonly ref: string;
  readonly label: string;
  /** Its node, if it has a line in the page's tree. */
  readonly node?: PageNode | undefined;
}

/** A few are named, of a second frame too, if there are some. */
export async function manyOf(
  tab: Tab,
  tree: PageTree,
  word: string,
  nodes: readonly PageNode[],
): Promise<DevflowError> {
  const elsewhere = nodes.find(({ frame }) => frame !== nodes[0]!.frame);
  const first = nodes.slice(0, mostNamed);
  const some = elsewhere && !first.includes(elsewhere) ? [...first.slice(0, -1), elsewhere] : first;
  const candidates = some.map((node) => ({ ...labelledRef(tab, node), node }));
  return await manyMatchError(tab, tree, word, candidates, nodes.length);
}

export const mostNamed = 3;

export async function manyMatchError(
  tab: Tab,
  tree: PageTree | undefined,
  target: string,
  candidates: readonly Candidate[],
  count: number,
): Promise<DevflowError> {
  const nodes = candidates.flatMap(({ node }) => node ?? []);
  const places = tree ? placesOf(tree, namesakesOf(tree, nodes)) : new Map<PageNode, string>();
  const frames = await frameNames(tab, nodes);
  const labels = candidates.map(({ label, node }) => {
    const frame = node && frames.get(node.frame);
    return `${withPlace(label, node && places.get(node))}${frame ? ` in frame ${quote(frame, 60)}` : ""}`;
  });
  const lines = labels.map((label) => label.slice(label.indexOf(" ") + 1));
  const line = tree && lines.find((one) => isLineOfOne(tree, frames, one));
  const some = labels.join(", ") + (count > candidates.length ? ", …" : "");
  const first = candidates[0]?.ref ?? "";
  const byLine = line ? `, or by its line: devflow browse click '${line}'` : "";
  const details = { count, target, some, first, next: `devflow browse click @${first}`, line: byLine };
  return new DevflowError("browse_many_match", { details });
}

/** Whether this line, typed as a target, would find one control. */
function isLineOfOne(tree: PageTree, frames: ReadonlyMap<number, string>, line: string): boolean {
  const parsed = line.includes("'") ? undefined : parseLine(line);
  if (!parsed) return false;
  const found = controlsNamed(tree, parsed);
  const { frame } = parsed;
  return found.filter((node) => frame === undefined || frames.get(node.frame) === frame).length === 1;
}

export async function describeClosest(tab: Tab, wanted: Wanted): Promise<string> {
  const tree = await captureTree(tab).catch(() => undefined);
  if (!tree) return "";
  const within = sayingMore(tree, wanted.name).filter(({ role }) => role === (wanted.role ?? role));
  const near = within.length > 0 ? within : closestTo(wanted, tree);
  if (near.length === 0) return "";
  const more = near.length > mostNamed ? ", …" : "";
  return ` Closest now: ${labelsOf(tab, tree, near.slice(0, mostNamed)).join(", ")}${more}.`;
}

function labelsOf(tab: Tab, tree: PageTree, nodes: readonly PageNode[]): string[] {
  const places = placesOf(tree, namesakesOf(tree, nodes));
  return nodes.map((node) => withPlace(labelOfNode(tab, node), places.get(node)));
}

/** Those that are not shown count, too: the only one shown is still one of several. */
const namesakesOf = ({ nodes }: PageTree, near: readonly PageNode[]): PageNode[] =>
  nodes.filter(({ role, name }) => near.some((one) => one.role === role && one.name === name));

export const withPlace = (label: string, place: string | undefined): string =>
  place ? `${label} in ${quote(place, 60)}` : label;

export const labelOfNode = (tab: Tab, node: PageNode): string => labelledRef(tab, node).label;

/** The same advice for another command than `click`. */
export function adviceFor(command: string, error: unknown): unknown {
  if (!(error instanceof DevflowError) || error.code !== "browse_many_match") return error;
  const { next, line } = error.details;
  const [own, ownLine] = [next, line].map((advice) =>
    String(advice).replace("browse click ", () => `browse ${command} `),
  );
  const details = { ...error.details, next: own, line: ownLine };
  return new DevflowError("browse_many_match", { details, cause: error.cause });
}

/** What lies over an element; an agent may know it by its ref. `done` is what was to be done with it. */
export function coverError(
  tab: Tab,
  target: string,
  cover: string,
  page: PageRef | undefined,
  done = "clicked",
): DevflowError {
  const known = page === undefined ? undefined : refBookOf(tab).at(page);
  const ref = page === undefined ? "" : `@${known?.ref ?? refBookOf(tab).refFor(page, { role: "element", name: "" })} `;
  const open = openList(`${known?.role ?? ""} ${cover.split(">")[0]}`);
  const next = open
    ? `An open ${open} lies over it: choose an option, or close the ${open}: devflow browse press Escape`
    : "Close what covers it first, or take a snapshot: devflow browse snapshot -i";
  const label = known && known.role !== "element" ? labelOf(known.ref, known.role, known.name) : `${ref}${cover}`;
  const error = new DevflowError("browse_covered", { details: { target, cover: label, done, next } });
  if (page !== undefined && !open) covers.set(error, page);
  return error;
}

/** What is in a menu may be called "Cancel" or "Hide", and does not close it. */
function openList(what: string): "list" | "menu" | undefined {
  if (/^listbox|option/.test(what)) return "list";
  return /^menu|role="?menu/.test(what) ? "menu" : undefined;
}

/** What lies over the target, for the controls that close it. */
const covers = new WeakMap<object, PageRef>();

/** The same error, which names what closes the cover, where that can be told. */
export async function withCloser(tab: Tab, error: unknown): Promise<unknown> {
  const cover = error instanceof DevflowError ? covers.get(error) : undefined;
  if (!(error instanceof DevflowError) || cover === undefined) return error;
  const tree = await captureTree(tab).catch(() => undefined);
  const closers = tree ? closersOf(tree, cover).map((node) => labelledRef(tab, node)) : [];
  const [first] = closers;
  if (!first) return error;
  const which = closers.map(({ label }) => label).join(" or ");
  const next = `To close it, use ${which}: devflow browse click @${first.ref}`;
  return new DevflowError("browse_covered", { details: { ...error.details, next }, cause: error.cause });
}

/** What has no role of its own is known by its words. */
export function labelledRef(tab: Tab, node: PageNode): { ref: string; label: string } {
  const isPlain = node.role === "generic";
  const known = {
    role: isPlain ? "clickable" : node.role,
    name: node.name || (isField(node) ? "" : (node.text ?? "")),
  };
  const ref = refBookOf(tab).refFor(node.ref!, known, isPlain && !node.hasPointerCursor ? "c" : "e");
  return { ref, label: labelOf(ref, known.role, known.name) };
}

export function labelOf(ref: string, role: string, name: string): string {
  return `@${ref} ${role}${name ? ` ${quote(name, 80)}` : ""}`;
}
