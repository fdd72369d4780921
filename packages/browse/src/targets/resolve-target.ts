/**
 * Resolves a word to the one element it names.
 *
 * - `resolveTarget(tab, word)` the element, pinned by identity. A ref whose element is gone fails at once and names the
 *   closest live ones; other words wait a moment for the page, then must match exactly one element.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { DevflowError } from "@devflow/core/errors";
import type { Frame, Locator } from "playwright-core";
import type { Tab } from "../command.ts";
import { askPage, elementByRef } from "../page-world/ask-page.ts";
import type { PageRef, Point, Readiness } from "../page-world/questions.ts";
import { captureTree, factsFor, frameOf, rememberTree } from "../snapshot/capture-tree.ts";
import { quote } from "../snapshot/line.ts";
import type { PageNode } from "../snapshot/page-tree.ts";
import { type KnownRef, refBookOf } from "../snapshot/ref-book.ts";
import { type LineTarget, withPlaces } from "./by-words.ts";
import type { Wanted } from "./candidates.ts";
import { controlsLike } from "./controls-like.ts";
import { controlsNow } from "./controls-now.ts";
import { canBeTag, isBareWord, isRole, parseTarget, type Target } from "./parse-target.ts";
import { busyPageMs, countOf, framesFor, type Locatable, locate, pickHidden, pickIn, pickSeen } from "./pick.ts";
import { isRecorded, recordedFrame } from "./recorded-target.ts";
import { adviceFor, describeClosest, labelledRef, labelOf, manyOf } from "./suggest.ts";
import { beginningWith, isWords, sayingMore } from "./words-within.ts";

type Selector = Exclude<Target, { kind: "ref" }>;

export interface Found {
  readonly locator: Locator;
  readonly frame: Frame;
  readonly page: PageRef;
  /** For messages: `@e3 button "Save"`. */
  readonly label: string;
  readonly ref: string;
  /** Whether it could be acted on when it was found by its ref. */
  readonly readiness?: Readiness;
  /** It is the label that is pressed for the one that was named. */
  readonly isLabel?: true;
}

/** How long CSS, text and roles wait for an element to appear; a framework's first render takes less. */
const appearMs = 2_000;
const renderMs = 300;

/** What is done with an element as soon as it is found by its ref, which saves an action round trips. */
export interface Reach {
  /** Scroll it into view. */
  readonly scroll?: boolean;
  /** Prepare a press on it. */
  readonly press?: boolean;
  /** Focus it and select its value, if it is a text field. */
  readonly select?: boolean;
  /** Where in it. */
  readonly at?: Point | undefined;
  /** For advice, such as `fill` or `drag @e3`; `click` by default. */
  readonly command?: string;
  /** It is read, not acted on: `main` is the main part then, even if a link is called "Main". */
  readonly part?: boolean;
}

export function readinessOf(ref: PageRef, { scroll = false, press, select, at }: Reach, words = false) {
  return {
    ask: "readiness",
    ref,
    scroll,
    ...(press && { press }),
    ...(select && { select }),
    ...(at && { at }),
    ...(words && { words }),
  } as const;
}

export async function resolveTarget(tab: Tab, word: string, reach: Reach = {}): Promise<Found> {
  const target = parseTarget(word);
  if (target.kind === "ref") return await byRef(tab, target.ref, reach);
  const { command } = reach;
  const found = bySelector(tab, word, target, reach);
  return await (command === undefined ? found : found.catch((error) => Promise.reject(adviceFor(command, error))));
}

async function byRef(tab: Tab, ref: string, reach: Reach): Promise<Found> {
  const known = refBookOf(tab).find(ref);
  if (!known) throw unknownRef(ref);
  const found = (await livingAt(tab, known, known.page, reach)) ?? (await heirOf(tab, known, reach));
  if (found) return found;
  const closest = await describeClosest(tab, known);
  const what = `${known.role}${known.name ? ` ${quote(known.name, 80)}` : ""}`;
  throw new DevflowError("browse_ref_stale", { details: { ref, what, closest } });
}

async function livingAt(
  tab: Tab,
  { ref, role, name }: KnownRef,
  page: PageRef,
  reach: Reach,
): Promise<Found | undefined> {
  const frame = await frameOf(tab, page);
  // A snapshot shows the words of what has no name.
  const question = readinessOf(page, reach, name === "" && /^(clickable|listitem|row|cell|gridcell)$/.test(role));
  // The answer may wait behind an earlier snapshot; an element is not gone because its page is busy.
  const readiness = await (frame && askPage(frame, question, { timeoutMs: busyPageMs }).catch(() => undefined));
  if (!frame || !readiness?.live) return undefined;
  const { words } = readiness;
  const label = labelOf(ref, role, name) + (words ? ` ${/> (".*")$/.exec(words)?.[1] ?? words}` : "");
  return { locator: elementByRef(frame, page), frame, page, label, ref, readiness };
}

/** The page may have rendered itself anew since it was read last. */
async function heirOf(tab: Tab, known: KnownRef, reach: Reach): Promise<Found | undefined> {
  const tree = await captureTree(tab).catch(() => undefined);
  if (tree) rememberTree(tab, tree);
  const { heir } = known;
  const found = heir === undefined ? undefined : await livingAt(tab, known, heir, reach);
  if (found) refBookOf(tab).inherit(known, found.page);
  return found;
}

async function bySelector(tab: Tab, word: string, target: Selector, { part = false }: Reach): Promise<Found> {
  const own = target.kind === "recorded" ? await recordedFrame(tab, target) : tab.frame();
  const start = Date.now();
  const lines = linesFor(target, word);
  const isBare = target.kind === "css" && !part && isBareWord(word);
  const byMarkup = async () => {
    if (target.kind === "line" || (isBare && !canBeTag(word))) return undefined;
    const picked = await pick(tab, own, word, target).catch((error: unknown) => {
      if (lines.length === 0 || !isInvalid(error)) throw error;
      return undefined;
    });
    return picked && isMeant(tab, target, picked) ? picked : undefined;
  };
  let hasLookedWithin = false;
  for (let tries = 0; ; tries++) {
    const age = Date.now() - start;
    const isLast = age > appearMs;
    // Reading the whole page is dear, so it is done at first and at last.
    const readsAll = lines.length > 0 && (tries === 0 || isLast);
    // A control that is called like a tag is meant, not what the page is built of.
    const first = readsAll && isBare ? await byLine(tab, word, lines, { hasRole: true }) : undefined;
    const found = first ?? (await byMarkup()) ?? (readsAll ? await byLine(tab, word, lines) : undefined);
    if (found) return found;
    // A control with these words may still come, and then it is meant rather than words without one.
    const text = age > renderMs ? await byText(tab, word, lines[0]) : undefined;
    if (text) return text;
    if (age > renderMs && (isLast || !hasLookedWithin)) {
      hasLookedWithin = true;
      const within = await byBeginning(tab, target, lines[0]);
      if (within) return within;
    }
    if (isLast) break;
    await sleep(50);
  }
  if (target.kind === "css" && !isWords(word)) await countOf(locate(own, target), word);
  const closest = await describeClosest(tab, wantedBy(target, word));
  const like = target.kind === "recorded" ? await controlsLike(tab, target) : undefined;
  const details = { target: wordsOf(target, word), closest, ...(like && { like }) };
  throw new DevflowError("browse_no_match", { details });
}

function isMeant(tab: Tab, target: Selector, { ref }: Found): boolean {
  const known = refBookOf(tab).find(ref);
  return target.kind !== "recorded" || !known || isRecorded(target, known);
}

/** What can be seen wins over what is hidden. */
async function pick(tab: Tab, own: Frame, word: string, target: Locatable): Promise<Found | undefined> {
  const called = wordsOf(target, word);
  // Some lists show a person other elements than they show to a screen reader.
  const shownInstead = async () =>
    target.kind === "role" ? await byLine(tab, word, [{ name: target.name }]).catch(() => undefined) : undefined;
  return (await pickSeen(tab, own, called, target)) ?? (await pickHidden(tab, own, called, target, shownInstead));
}

export const unknownRef = (ref: string): DevflowError => new DevflowError("browse_ref_unknown", { details: { ref } });

export const isInvalid = (error: unknown): boolean =>
  error instanceof DevflowError && error.code === "browse_target_invalid";

/** What is neither a ref nor CSS on this page may be the words on a control, with its place. */
export function linesFor(target: Target, word: string): LineTarget[] {
  if (target.kind === "line") return [target];
  // A field that cannot be seen is in the tree by its label, and Playwright has no role for it.
  if (target.kind === "role") return withPlaces(target);
  const isOnlyCss = target.kind !== "css" || /^\s*(css=|[#.[*:>])/.test(word);
  if (isOnlyCss) return [];
  // The only one of its role needs no name.
  return [...withPlaces({ name: word.trim() }), ...(isRole(word) ? [{ role: word }] : [])];
}

/** The one control with these words. */
async function byLine(
  tab: Tab,
  word: string,
  lines: readonly LineTarget[],
  how: { readonly hasRole?: boolean } = {},
): Promise<Found | undefined> {
  const now = await controlsNow(tab, lines, how);
  if (!now) return undefined;
  const usable = now.nodes.length > 1 ? await withoutInert(tab, now.nodes) : now.nodes;
  if (usable.length > 1) throw await manyOf(tab, now.tree, word, usable);
  return await foundAt(tab, usable[0]!);
}

/** What is in a drawer that is closed is not meant, unless there is nothing else. */
async function withoutInert(tab: Tab, nodes: readonly PageNode[]): Promise<readonly PageNode[]> {
  const { of: facts } = await factsFor(tab, nodes);
  const usable = nodes.filter(({ ref }) => !facts.get(ref ?? "")?.marks?.includes("inert"));
  return usable.length > 0 ? usable : nodes;
}

/** The one element that shows exactly these words, where no control has them. */
async function byText(tab: Tab, word: string, line: LineTarget | undefined): Promise<Found | undefined> {
  const { role, name, place, frame } = line ?? {};
  if (name === undefined || (role ?? place ?? frame) !== undefined) return undefined;
  for (const text of [name, new RegExp(`^\\s*${RegExp.escape(name)}\\s*$`, "iu")]) {
    const frames = framesFor(tab, { kind: "text", text: name });
    const found = await pickIn(tab, word, frames, (frame) => frame.getByText(text, { exact: true }));
    if (found) return found;
  }
  return undefined;
}

/** The one element whose words begin with these, where no other says them. */
async function byBeginning(tab: Tab, target: Selector, line: LineTarget | undefined): Promise<Found | undefined> {
  const { role, name, place, frame } = line ?? {};
  const isMeant = target.kind === "css" || (target.kind === "line" && name?.endsWith("…"));
  if (!isMeant || name === undefined || (role ?? place ?? frame) !== undefined) return undefined;
  const tree = await captureTree(tab).catch(() => undefined);
  const node = tree && beginningWith(sayingMore(tree, name), tree, name);
  return node && (await foundAt(tab, node));
}

async function foundAt(tab: Tab, node: PageNode): Promise<Found | undefined> {
  const page = node.ref!;
  const frame = await frameOf(tab, page);
  if (!frame) return undefined;
  const { ref, label } = labelledRef(tab, node);
  return { locator: elementByRef(frame, page), frame, page, label, ref };
}

/** As a person would say it. */
const wordsOf = (target: Selector, word: string): string =>
  target.kind === "recorded" ? `${target.role} ${quote(target.name, 80)}` : word;

function wantedBy(target: Selector, word: string): Wanted {
  if (target.kind === "text") return { name: target.text };
  if (target.kind === "role" || target.kind === "recorded") return target;
  if (target.kind === "line") return { ...target, name: target.name ?? target.place ?? word };
  return { name: linesFor(target, word)[0]?.name ?? target.css.replace(/[#.[\]="'>:-]+/g, " ").trim() };
}
