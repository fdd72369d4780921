/**
 * What can be edited or clicked without having a role for it, in all frames.
 *
 * - `rolelessControls(tab, most)` by their markup and, on pages with at most `most` listening elements, by their listeners.
 * - `editablesIn(inventories)`, `clickablesIn(inventories, listening)` the same from what is known.
 * - `clickablesNow(tab)` what can be clicked, without what else an inventory has.
 * - `rememberClickables(tab, document, found)`, `knownClickables(tab, document)` what could be clicked when that was last asked.
 */
import type { Tab } from "../command.ts";
import { askPage } from "../page-world/ask-page.ts";
import type { ClickableElement, FrameInventory, PageRef } from "../page-world/questions.ts";
import { inspectFrames, liveFrames } from "./capture-tree.ts";
import { type Listening, listeningElements } from "./clickables.ts";

export interface RolelessControls {
  readonly editables: ReadonlySet<PageRef>;
  readonly clickables: readonly ClickableElement[];
}

/** Each listening element takes a round trip. */
export const mostListening = 150;

export async function rolelessControls(tab: Tab, most = mostListening): Promise<RolelessControls> {
  // Devflow's code, which names what listens, is in the frames once they have been inspected.
  const inventories = [...(await inspectFrames(tab)).values()];
  const listening = await listeningElements(tab, most);
  return { editables: editablesIn(inventories), clickables: clickablesIn(inventories, listening) };
}

const markedMs = 1_000;

export async function clickablesNow(tab: Tab): Promise<readonly ClickableElement[]> {
  const asked = liveFrames(tab).map((frame) =>
    askPage(frame, { ask: "marked" }, { timeoutMs: markedMs }).catch(() => []),
  );
  const [listening, ...marked] = await Promise.all([listeningElements(tab, mostListening), ...asked]);
  return distinct([...marked.flat(), ...listening.elements]).toSorted(inReadingOrder);
}

/** Names by ref. */
export type KnownClickables = ReadonlyMap<PageRef, string>;

const knownKey = Symbol("browse known clickables");
const memoryOf = (tab: Tab) => tab.memory(knownKey, () => new Map<string, KnownClickables>());

export function rememberClickables(tab: Tab, document: string, found: readonly ClickableElement[]): void {
  const memory = memoryOf(tab);
  memory.clear();
  memory.set(document, new Map(found.map(({ ref, name }) => [ref, name])));
}

export const knownClickables = (tab: Tab, document: string): KnownClickables | undefined => memoryOf(tab).get(document);

export function editablesIn(inventories: Iterable<FrameInventory>): ReadonlySet<PageRef> {
  return new Set([...inventories].flatMap((inventory) => inventory.editables));
}

export function clickablesIn(inventories: Iterable<FrameInventory>, { elements }: Listening): ClickableElement[] {
  const all = distinct([...[...inventories].flatMap((inventory) => inventory.clickables), ...elements]);
  return all.toSorted(inReadingOrder);
}

/** Of different documents, each has its own place in the tree. */
function inReadingOrder({ order: one = [] }: ClickableElement, { order: other = [] }: ClickableElement): number {
  const differs = one.findIndex((place, at) => place !== other[at]);
  return differs < 0 ? one.length - other.length : one[differs]! - (other[differs] ?? -1);
}

const distinct = (all: readonly ClickableElement[]): ClickableElement[] => [
  ...new Map(all.map((one) => [one.ref, one])).values(),
];
