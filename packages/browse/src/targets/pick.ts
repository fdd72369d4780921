/**
 * Picks the one element of a page that a selector means.
 *
 * - `pickSeen(tab, own, word, target)` of those that can be seen, in all frames for words and roles; `pickHidden(…)` of the others.
 *   Undefined when there is none; they throw when there are several.
 * - `pickIn(tab, word, frames, locate)` the same for any locator.
 * - `locate(frame, target)`, `countOf(all, word)`, `framesFor(tab, target)` what they use.
 */
import { DevflowError } from "@devflow/core/errors";
import type { Frame, Locator } from "playwright-core";
import type { Tab } from "../command.ts";
import { askPage, elementByRef } from "../page-world/ask-page.ts";
import { documentOf, numberOf, type PageRef } from "../page-world/questions.ts";
import { captureTree } from "../snapshot/capture-tree.ts";
import { isFieldRole } from "../snapshot/interactive.ts";
import type { PageNode } from "../snapshot/page-tree.ts";
import { refBookOf } from "../snapshot/ref-book.ts";
import { askFrame, isFrameShown } from "./frames.ts";
import type { Target } from "./parse-target.ts";
import { selectorInFrame } from "./recorded-target.ts";
import type { Found } from "./resolve-target.ts";
import { labelOf, manyMatchError, mostNamed } from "./suggest.ts";

export type Locatable = Exclude<Target, { kind: "ref" } | { kind: "line" }>;

/** A snapshot of the largest pages takes seconds. */
export const busyPageMs = 15_000;

/** What a page shows in its frames is part of it; CSS is for one document. */
export function framesFor(tab: Tab, { kind }: Target): readonly Frame[] {
  const isOfAll = (kind === "role" || kind === "text") && tab.frame() === tab.page.mainFrame();
  return isOfAll ? tab.page.frames() : [tab.frame()];
}

/** An exact name wins over longer ones. */
export async function pickSeen(tab: Tab, own: Frame, word: string, target: Locatable): Promise<Found | undefined> {
  const frames = target.kind === "recorded" ? [own] : framesFor(tab, target);
  const exact = target.kind === "text" || target.kind === "role";
  const hasRole = target.kind === "role";
  const found = exact ? await pickIn(tab, word, frames, (frame) => exactly(frame, target), hasRole) : undefined;
  return found ?? (await pickIn(tab, word, frames, (frame) => locate(frame, target), hasRole));
}

/** `instead` is asked first where there are only hidden ones. */
export async function pickHidden(
  tab: Tab,
  own: Frame,
  word: string,
  target: Locatable,
  instead: () => Promise<Found | undefined>,
): Promise<Found | undefined> {
  const frames = target.kind === "recorded" ? [own] : framesFor(tab, target);
  const all = await matchesIn(frames, word, (frame) => locate(frame, target));
  return all.length === 0 ? undefined : ((await instead()) ?? (await oneOf(tab, word, all, target.kind === "role")));
}

export async function pickIn(
  tab: Tab,
  word: string,
  frames: readonly Frame[],
  locate: (frame: Frame) => Locator,
  hasRole = false,
): Promise<Found | undefined> {
  const seen = (frame: Frame) => locate(frame).filter({ visible: true });
  const usable = await matchesIn(frames, word, (frame) => seen(frame).and(frame.locator(notInert)));
  const found = usable.length > 0 ? usable : await matchesIn(frames, word, seen);
  const shown =
    found.length < 2 ? found : await asyncFilter(found, ({ frame }) => askFrame(isFrameShown(frame), false));
  return shown.length === 0 ? undefined : await oneOf(tab, word, shown, hasRole);
}

/** As in a drawer that is closed. */
const notInert = "css=:not([inert], [inert] *)";

interface Match {
  readonly frame: Frame;
  readonly all: Locator;
  readonly count: number;
}

async function matchesIn(
  frames: readonly Frame[],
  word: string,
  locate: (frame: Frame) => Locator,
): Promise<readonly Match[]> {
  const counted = frames
    .filter((frame) => !frame.isDetached())
    .map(async (frame): Promise<Match> => {
      const all = locate(frame);
      const count = countOf(all, word);
      return { frame, all, count: await (frame === frames[0] ? count : askFrame(count, 0)) };
    });
  return (await Promise.all(counted)).filter(({ count }) => count > 0);
}

async function asyncFilter<T>(all: readonly T[], holds: (one: T) => Promise<boolean>): Promise<T[]> {
  const kept = await Promise.all(all.map(holds));
  return all.filter((_, at) => kept[at]);
}

async function oneOf(tab: Tab, word: string, matches: readonly Match[], hasRole: boolean): Promise<Found> {
  const [first] = matches;
  if (matches.length === 1 && first!.count === 1) return await pin(tab, first!.frame, first!.all, hasRole);
  throw await manyMatch(tab, word, matches);
}

/** A few are named, of a second frame too, if there are some. */
async function manyMatch(tab: Tab, word: string, matches: readonly Match[]): Promise<DevflowError> {
  const few = matches.map(({ frame, all, count }) =>
    Array.from({ length: Math.min(count, mostNamed) }, (_, at) => ({ frame, one: all.nth(at) })),
  );
  const [first = [], ...others] = few;
  const named = [...first.slice(0, others.length === 0 ? mostNamed : mostNamed - 1), ...others.flat()];
  const some = await Promise.all(named.slice(0, mostNamed).map(({ frame, one }) => pin(tab, frame, one)));
  const tree = await captureTree(tab).catch(() => undefined);
  const candidates = some.map(({ ref, label, page }) => ({
    ref,
    label,
    node: tree?.nodes.find((node) => node.ref === page),
  }));
  const count = matches.reduce((sum, match) => sum + match.count, 0);
  return await manyMatchError(tab, tree, word, candidates, count);
}

function exactly(frame: Frame, target: Extract<Locatable, { kind: "text" | "role" }>): Locator {
  if (target.kind === "text") return frame.getByText(target.text, { exact: true });
  return locate(frame, { ...target, exact: true });
}

export function locate(frame: Frame, target: Locatable): Locator {
  if (target.kind === "text") return frame.getByText(target.text);
  if (target.kind === "css") return frame.locator(`css=${target.css}`);
  if (target.kind === "recorded") return frame.locator(selectorInFrame(target));
  return frame.getByRole(target.role as Parameters<Frame["getByRole"]>[0], { name: target.name, exact: target.exact });
}

export async function countOf(all: Locator, word: string): Promise<number> {
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
async function pin(tab: Tab, frame: Frame, one: Locator, hasRole = false): Promise<Found> {
  const page = await askPage(one, { ask: "ref", label: hasRole }, { timeoutMs: busyPageMs });
  if (!page) throw new DevflowError("browse_no_match", { details: { target: String(one), closest: "" } });
  const known = await roleAndName(one, page, hasRole);
  const ref = refBookOf(tab).refFor(page, known ?? { role: "element", name: "" });
  const label = known ? labelOf(ref, known.role, known.name) : `@${ref} ${await hintFor(frame, page)}`;
  return { locator: elementByRef(frame, page), frame, page, label, ref };
}

/** Undefined for an element without a role: its own line is missing then, and the first one is of something inside it. */
async function roleAndName(
  one: Locator,
  page: PageRef,
  hasRole: boolean,
): Promise<{ role: string; name: string } | undefined> {
  const json = await one.ariaSnapshotJSON({ mode: "ai", depth: 1, timeout: 2_000 }).catch(() => []);
  const { role, name, text, ref } =
    (Array.isArray(json) ? (json[0] as Partial<PageNode> | undefined) : undefined) ?? {};
  const isOther = ref !== undefined && (numberOf(ref) !== numberOf(page) || documentOf(ref) !== documentOf(page));
  // A field that cannot be seen has the ref of its label.
  const isInside = !hasRole && isOther;
  if (role === undefined || role === "generic" || role === "text" || isInside) return undefined;
  return { role, name: name || (isFieldRole(role) ? "" : (text ?? "")) };
}

/** What it is in the markup: `<div#menu>`. */
async function hintFor(frame: Frame, page: PageRef): Promise<string> {
  const number = numberOf(page);
  const question = { ask: "facts", of: [number], wordless: [number] } as const;
  const answer = await askPage(frame, question, { timeoutMs: busyPageMs }).catch(() => undefined);
  return answer?.found[number]?.hint ?? "element";
}
