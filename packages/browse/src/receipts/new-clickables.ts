/**
 * What an action made appear that can be clicked without having a role for it. Only the browser knows what listens, so it is asked
 * where something was added.
 *
 * - `withNewClickables(tab, before, after, away)` the tree with those that are new in their places; many without words are counted.
 * - `countLine(count)` pure: the line for those.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Tab } from "../command.ts";
import { type ClickableElement, documentOf, numberOf, type PageRef } from "../page-world/questions.ts";
import { isInteractive } from "../snapshot/interactive.ts";
import type { PageNode, PageTree } from "../snapshot/page-tree.ts";
import { placeTargets } from "../snapshot/place-targets.ts";
import {
  clickablesNow,
  type KnownClickables,
  knownClickables,
  rememberClickables,
} from "../snapshot/roleless-controls.ts";
import { firstRef } from "./late-changes.ts";

export interface NewClickables {
  readonly tree: PageTree;
  /** How many without words are not in the tree. */
  readonly wordless: number;
  /** How many are called like others that have gone, and are not in the tree. */
  readonly renewed: number;
}

export const nothingNew = (tree: PageTree): NewClickables => ({ tree, wordless: 0, renewed: 0 });

/** A page that takes longer to say what listens is told of without that. */
const askMs = 300;
/** Each is asked by itself. */
const mostFrames = 6;
/** More of them are counted: without words each line says little. */
const mostWordless = 6;
/** More than these, called like what has gone, are the same rendered anew. */
const mostRenewed = 3;

export async function withNewClickables(
  tab: Tab,
  before: PageTree,
  after: PageTree,
  away: ReadonlySet<PageRef> = new Set(),
): Promise<NewClickables> {
  if (tab.page.frames().length > mostFrames) return nothingNew(after);
  const document = documentOf(firstRef(after));
  const found = await Promise.race([
    clickablesNow(tab).catch(() => undefined),
    sleep(askMs, undefined, { ref: false }),
  ]);
  if (!found) return nothingNew(after);
  const known = knownClickables(tab, document);
  rememberClickables(tab, document, found);
  const fresh = newAmong(found, { before, after, known, away });
  const names = goneNames(found, known);
  const again = fresh.filter(({ name }) => names.has(name));
  const told = again.length > mostRenewed ? fresh.filter(({ name }) => !names.has(name)) : fresh;
  const bare = told.filter(({ name }) => name === "");
  const shown = bare.length > mostWordless ? told.filter(({ name }) => name !== "") : told;
  const tree = shown.length === 0 ? after : withClickables(after, shown);
  return { tree, wordless: bare.length > mostWordless ? bare.length : 0, renewed: fresh.length - told.length };
}

export const countLine = (count: number): string[] =>
  count > 0 ? [`+ ${count} clickables without words: snapshot -i`] : [];

const manyControls = 4;

interface Look {
  readonly before: PageTree;
  readonly after: PageTree;
  /** What could be clicked before, as far as that was asked. */
  readonly known: KnownClickables | undefined;
  readonly away: ReadonlySet<PageRef>;
}

function newAmong(found: readonly ClickableElement[], { before, after, known, away }: Look): ClickableElement[] {
  const were = new Set(before.nodes.map(({ ref }) => keyOf(ref)));
  const are = nodesByKey(after);
  const outside = new Set([...away].map((ref) => keyOf(ref)));
  const isOld = (key: string) => were.has(key) || outside.has(key);
  return found.filter((one) => {
    const node = are.get(keyOf(one.ref));
    if (isOld(keyOf(one.ref)) || (node && (isInteractive(node, noEditables) || holdsMany(after, node)))) return false;
    if (node) return true;
    const around = one.around.map((number) => keyAt(one, number)).find((key) => are.has(key));
    if (around !== undefined && outside.has(around)) return false;
    return (around !== undefined && !were.has(around)) || (known !== undefined && !known.has(one.ref));
  });
}

/** It listens for what is in it. */
function holdsMany({ nodes }: PageTree, { index, end }: PageNode): boolean {
  return nodes.slice(index + 1, end).filter((node) => isInteractive(node, noEditables)).length >= manyControls;
}

function goneNames(found: readonly ClickableElement[], known: KnownClickables | undefined): ReadonlySet<string> {
  const there = new Set(found.map(({ ref }) => ref));
  const gone = [...(known ?? [])].flatMap(([ref, name]) => (there.has(ref) || name === "" ? [] : [name]));
  return new Set(gone);
}

/** Words that stay as they are get nothing put into them, which would change them. */
function withClickables(after: PageTree, shown: readonly ClickableElement[]): PageTree {
  const texts = new Set(after.nodes.flatMap(({ ref, text }) => (text === undefined ? [] : [keyOf(ref)])));
  const beside = shown.map((one) => ({
    ...one,
    around: one.around.filter((number) => !texts.has(keyAt(one, number))),
  }));
  const refs = new Set(shown.map(({ ref }) => ref));
  const names = new Map(shown.map((one) => [keyOf(one.ref), one.name]));
  const own = after.nodes.map((node) => {
    const name = names.get(keyOf(node.ref));
    return name !== undefined && node.name === "" && node.text === undefined ? { ...node, name } : node;
  });
  return { ...placeTargets({ ...after, nodes: own }, beside, true), clickables: refs };
}

const noEditables: ReadonlySet<PageRef> = new Set();
const keyOf = (ref: PageRef | undefined): string => (ref === undefined ? "" : `${documentOf(ref)}:${numberOf(ref)}`);
const keyAt = ({ ref }: ClickableElement, number: number): string => `${documentOf(ref)}:${number}`;

const nodesByKey = ({ nodes }: PageTree): ReadonlyMap<string, PageNode> =>
  new Map(nodes.flatMap((node) => (node.ref === undefined ? [] : [[keyOf(node.ref), node] as const])));
