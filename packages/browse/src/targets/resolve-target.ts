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
import { documentOf, numberOf, type PageRef, type Point, type Readiness } from "../page-world/questions.ts";
import { captureTree, frameOf } from "../snapshot/capture-tree.ts";
import { quote } from "../snapshot/line.ts";
import type { PageNode } from "../snapshot/page-tree.ts";
import { placesOf } from "../snapshot/places.ts";
import { refBookOf } from "../snapshot/ref-book.ts";
import { closestTo, type Wanted } from "./candidates.ts";
import { parseTarget, type Target } from "./parse-target.ts";
import { recordedFrame, selectorInFrame } from "./recorded-target.ts";

export interface Found {
  readonly locator: Locator;
  readonly frame: Frame;
  readonly page: PageRef;
  /** For messages: `@e3 button "Save"`. */
  readonly label: string;
  readonly ref: string;
  /** Whether it could be acted on when it was found by its ref. */
  readonly readiness?: Readiness;
}

/** How long CSS, text and roles wait for an element to appear; a framework's first render takes less. */
const appearMs = 2_000;

/** A snapshot of the largest pages takes seconds. */
const busyPageMs = 15_000;

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
}

export function readinessOf(ref: PageRef, { scroll = false, press, select, at }: Reach) {
  return {
    ask: "readiness",
    ref,
    scroll,
    ...(press && { press }),
    ...(select && { select }),
    ...(at && { at }),
  } as const;
}

export async function resolveTarget(tab: Tab, word: string, reach: Reach = {}): Promise<Found> {
  const target = parseTarget(word);
  return target.kind === "ref" ? byRef(tab, target.ref, reach) : bySelector(tab, word, target);
}

async function byRef(tab: Tab, ref: string, reach: Reach): Promise<Found> {
  const known = refBookOf(tab).find(ref);
  if (!known) throw new DevflowError("browse_ref_unknown", { details: { ref } });
  const frame = await frameOf(tab, known.page);
  const question = readinessOf(known.page, reach);
  // The answer may wait behind an earlier snapshot; an element is not gone because its page is busy.
  const readiness = await (frame && askPage(frame, question, { timeoutMs: busyPageMs }).catch(() => undefined));
  if (frame && readiness?.live) {
    const label = labelOf(ref, known.role, known.name);
    return { locator: elementByRef(frame, known.page), frame, page: known.page, label, ref, readiness };
  }
  const closest = await describeClosest(tab, known);
  const what = `${known.role}${known.name ? ` ${quote(known.name, 80)}` : ""}`;
  throw new DevflowError("browse_ref_stale", { details: { ref, what, closest } });
}

async function bySelector(tab: Tab, word: string, target: Exclude<Target, { kind: "ref" }>): Promise<Found> {
  const own = target.kind === "recorded" ? await recordedFrame(tab, target) : tab.frame();
  const until = Date.now() + appearMs;
  for (;;) {
    const found = (await pickIn(tab, own, word, target)) ?? (await pickInFrames(tab, own, word, target));
    if (found) return found;
    if (Date.now() > until) break;
    await sleep(50);
  }
  const closest = await describeClosest(tab, wantedBy(target));
  throw new DevflowError("browse_no_match", { details: { target: wordsOf(target, word), closest } });
}

/** As a person would say it. */
const wordsOf = (target: Exclude<Target, { kind: "ref" }>, word: string): string =>
  target.kind === "recorded" ? `${target.role} ${quote(target.name, 80)}` : word;

/** The one match in a frame; undefined when there is none. Throws when there are several. */
async function pickIn(
  tab: Tab,
  frame: Frame,
  word: string,
  target: Exclude<Target, { kind: "ref" }>,
): Promise<Found | undefined> {
  const all = locate(frame, target);
  const count = await countOf(all, word);
  if (count === 0) return undefined;
  if (count === 1) return pin(tab, frame, all);
  // A visible match wins over hidden ones, and an exact name over longer ones.
  const visible = all.filter({ visible: true });
  const seen = await visible.count();
  if (seen === 1) return pin(tab, frame, visible);
  const exact = exactly(frame, target)?.filter({ visible: true });
  if (exact && (await exact.count()) === 1) return pin(tab, frame, exact);
  throw await manyMatch(tab, frame, wordsOf(target, word), seen > 1 ? visible : all);
}

/** What a page shows in its frames is part of it; CSS is for one document. */
async function pickInFrames(
  tab: Tab,
  own: Frame,
  word: string,
  target: Exclude<Target, { kind: "ref" }>,
): Promise<Found | undefined> {
  if (own !== tab.page.mainFrame() || (target.kind !== "role" && target.kind !== "text")) return undefined;
  for (const frame of tab.page.frames()) {
    if (frame === own || frame.isDetached()) continue;
    const found = await pickIn(tab, frame, word, target).catch((error: unknown) => {
      if (frame.isDetached()) return undefined;
      throw error;
    });
    if (found) return found;
  }
  return undefined;
}

function exactly(frame: Frame, target: Exclude<Target, { kind: "ref" }>): Locator | undefined {
  if (target.kind === "text") return frame.getByText(target.text, { exact: true });
  return target.kind === "role" ? locate(frame, { ...target, exact: true }) : undefined;
}

export function locate(frame: Frame, target: Exclude<Target, { kind: "ref" }>): Locator {
  if (target.kind === "text") return frame.getByText(target.text);
  if (target.kind === "css") return frame.locator(`css=${target.css}`);
  if (target.kind === "recorded") return frame.locator(selectorInFrame(target));
  return frame.getByRole(target.role as Parameters<Frame["getByRole"]>[0], { name: target.name, exact: target.exact });
}

async function countOf(all: Locator, word: string): Promise<number> {
  try {
    return await all.count();
  } catch (error) {
    if (!/selector|Unexpected token|parse/i.test(String(error))) throw error;
    const reason = "it is neither a ref nor CSS that Chromium understands";
    throw new DevflowError("browse_target_invalid", {
      details: { target: JSON.stringify(word), reason },
      cause: error,
    });
  }
}

/** From here on it is this element, even if the word later matches another. */
async function pin(tab: Tab, frame: Frame, one: Locator): Promise<Found> {
  const page = await askPage(one, { ask: "ref" }, { timeoutMs: busyPageMs });
  if (!page) throw new DevflowError("browse_no_match", { details: { target: String(one), closest: "" } });
  const known = await roleAndName(one, page);
  const ref = refBookOf(tab).refFor(page, known ?? { role: "element", name: "" });
  const label = known ? labelOf(ref, known.role, known.name) : `@${ref} ${await hintFor(frame, page)}`;
  return { locator: elementByRef(frame, page), frame, page, label, ref };
}

/** Undefined for an element without a role: its own line is missing then, and the first one is of something inside it. */
async function roleAndName(one: Locator, page: PageRef): Promise<{ role: string; name: string } | undefined> {
  const json = await one.ariaSnapshotJSON({ mode: "ai", depth: 1, timeout: 2_000 }).catch(() => []);
  const { role, name, ref } = (Array.isArray(json) ? (json[0] as Partial<PageNode> | undefined) : undefined) ?? {};
  const isInside = ref !== undefined && (numberOf(ref) !== numberOf(page) || documentOf(ref) !== documentOf(page));
  return role === undefined || role === "generic" || role === "text" || isInside
    ? undefined
    : { role, name: name ?? "" };
}

/** What it is in the markup: `<div#menu>`. */
async function hintFor(frame: Frame, page: PageRef): Promise<string> {
  const number = numberOf(page);
  const question = { ask: "facts", of: [number], wordless: [number] } as const;
  const answer = await askPage(frame, question, { timeoutMs: busyPageMs }).catch(() => undefined);
  return answer?.found[number]?.hint ?? "element";
}

async function manyMatch(tab: Tab, frame: Frame, word: string, all: Locator): Promise<DevflowError> {
  const count = await all.count();
  const some = await Promise.all(Array.from({ length: Math.min(count, 3) }, (_, at) => pin(tab, frame, all.nth(at))));
  const tree = await captureTree(tab).catch(() => undefined);
  const nodes = tree?.nodes.filter(({ ref }) => some.some(({ page }) => page === ref)) ?? [];
  const places = tree ? placesOf(tree, nodes) : new Map<PageNode, string>();
  const described = some.map(({ label, page }) => {
    return withPlace(label, places.get(nodes.find(({ ref }) => ref === page)!));
  });
  const shown = described.join(", ") + (count > 3 ? ", …" : "");
  const first = some[0]?.ref ?? "";
  return new DevflowError("browse_many_match", { details: { count, target: word, some: shown, first } });
}

function wantedBy(target: Exclude<Target, { kind: "ref" }>): Wanted {
  if (target.kind === "text") return { name: target.text };
  if (target.kind === "role" || target.kind === "recorded") return target;
  return { name: target.css.replace(/[#.[\]="'>:-]+/g, " ").trim() };
}

async function describeClosest(tab: Tab, wanted: Wanted): Promise<string> {
  const tree = await captureTree(tab).catch(() => undefined);
  const near = tree ? closestTo(wanted, tree) : [];
  if (!tree || near.length === 0) return "";
  // Namesakes that are not shown count, too: the only one shown is still one of several.
  const places = placesOf(
    tree,
    tree.nodes.filter(({ role, name }) => near.some((one) => one.role === role && one.name === name)),
  );
  const shown = near.map((node) => withPlace(labelOfNode(tab, node), places.get(node)));
  return ` Closest now: ${shown.join(", ")}.`;
}

const withPlace = (label: string, place: string | undefined): string =>
  place ? `${label} in ${quote(place, 60)}` : label;

export function labelOfNode(tab: Tab, node: PageNode): string {
  const ref = refBookOf(tab).refFor(node.ref!, { role: node.role, name: node.name });
  return labelOf(ref, node.role, node.name);
}

function labelOf(ref: string, role: string, name: string): string {
  return `@${ref} ${role}${name ? ` ${quote(name, 80)}` : ""}`;
}
