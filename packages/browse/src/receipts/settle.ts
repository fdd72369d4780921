/**
 * How long to wait for the effect of an action. No fixed pause: the page itself says when it has something to show.
 *
 * - `nextStep(seen)` pure: look now, or how many milliseconds to wait before asking again.
 * - `settle(waiting)` asks until it is time to look, and looks.
 *
 * The choice, by case:
 * - something readable changed and no answer is awaited: take it; frameworks render within the event or its microtasks
 * - an answer is awaited (fetch, script): until it came and the page did something with it, 1.5 s at most, since
 *   long polls never answer
 * - nothing readable changed: 100 ms, so that debounced handlers (most use 50 ms or less) are seen before the receipt
 *   says that there was no effect
 * - the page is being left: until the next document can be read
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Frame } from "playwright-core";
import type { Tab } from "../command.ts";
import { askPage } from "../page-world/ask-page.ts";
import type { Pulse } from "../page-world/questions.ts";
import { diffTrees, isEmptyDiff } from "../snapshot/diff.ts";
import { lookAt, rememberLook } from "../snapshot/look.ts";
import type { PageTree } from "../snapshot/page-tree.ts";
import type { Activity } from "./activity.ts";

export const firstSignMs = 100;
export const answerMs = 1_500;
/** Between an answer and what the page makes of it. */
export const renderMs = 40;
const askAgainMs = 8;
/** A page that changes all the time is looked at again for so long, then taken as it is. */
const restlessMs = 120;
const nextDocumentMs = 10_000;
/** A pulse waits behind the look that was sent before it, which takes seconds on the largest pages. */
const pulseMs = 15_000;

export interface Seen {
  readonly elapsedMs: number;
  /** Something that can be read is other than before the action. */
  readonly changed: boolean;
  /** Anything of the page changed after the last answer came. */
  readonly changedSinceAnswer: boolean;
  readonly pending: number;
  readonly sinceAnswerMs: number | undefined;
  /** A dialog, a download or a new tab tells the effect already. */
  readonly told: boolean;
}

export function nextStep(seen: Seen): "look" | number {
  if (seen.told) return "look";
  if (seen.pending > 0) return seen.elapsedMs < answerMs ? askAgainMs : "look";
  if (seen.sinceAnswerMs !== undefined && !seen.changedSinceAnswer && seen.sinceAnswerMs < renderMs) return askAgainMs;
  if (seen.changed) return "look";
  return seen.elapsedMs < firstSignMs ? askAgainMs : "look";
}

/** A look at the page with the pulse that was felt just before it. */
export interface Glance {
  readonly tree: PageTree;
  readonly pulse: TabPulse;
  /** The one that commands looked at, which `frame` may change. */
  readonly frame: Frame;
}

export interface Waiting {
  readonly tab: Tab;
  readonly activity: Activity;
  readonly before: Glance;
  /** Something beside the page's content tells the effect. */
  readonly told: () => boolean;
}

/** The page when the action had its effect. Usually the first look is the last: it costs one round trip. */
export async function settle({ tab, activity, before, told }: Waiting): Promise<Glance> {
  const start = performance.now();
  let isFirst = true;
  let seen = await glanceTwice(tab);
  let changed = isChanged(before, seen.glance);
  let answer: { at: number; still: string } | undefined;
  for (;;) {
    if (activity.isLeaving()) {
      await tab.page.waitForLoadState("domcontentloaded", { timeout: nextDocumentMs }).catch(() => undefined);
      return glanceWhenStill(tab);
    }
    const pulse = isFirst ? seen.glance.pulse : await pulseOf(tab);
    isFirst = false;
    const now = performance.now();
    const answeredAt = activity.lastAnswerAt();
    if (answeredAt !== undefined && answer?.at !== answeredAt) answer = { at: answeredAt, still: pulse.still };
    const step = nextStep({
      elapsedMs: now - start,
      changed,
      changedSinceAnswer: answer !== undefined && pulse.still !== answer.still,
      pending: activity.pending(),
      sinceAnswerMs: answer && now - answer.at,
      told: told(),
    });
    const isFresh = pulse.still === seen.glance.pulse.still;
    if (step === "look" && !activity.isLeaving()) {
      if (changed && isFresh) return seen.glance;
      await letTimersRun(tab);
      return glanceWhenStill(tab);
    }
    if (step !== "look") await sleep(step);
    if (!isFresh && activity.pending() === 0) {
      seen = await glanceTwice(tab);
      changed = isChanged(before, seen.glance);
    }
  }
}

/**
 * On a busy machine a timer of the page may be due and not have run. One that is set now runs after it. The page could
 * keep us waiting, so not for long.
 */
async function letTimersRun(tab: Tab): Promise<void> {
  const ran = tab.page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 0))).catch(() => undefined);
  await Promise.race([ran, sleep(250)]);
}

/** Classes and styles that come and go while a button is down are mutations too; what counts is what can be read. */
const isChanged = (before: Glance, after: Glance): boolean => !isEmptyDiff(diffTrees(before.tree, after.tree));

/**
 * The page before an action. When nothing moved since the last receipt, that look serves: it halves what a receipt
 * costs. What a script changes without touching the document (a field's value) is then told by the next receipt.
 */
export async function glanceBefore(tab: Tab): Promise<Glance> {
  const last = lastGlance(tab);
  if (last === undefined || last.frame !== tab.frame() || last.tree.nodes.length === 0) return glance(tab);
  const pulse = await pulseOf(tab);
  return pulse.still === last.pulse.still ? { ...last, pulse } : glance(tab);
}

async function glance(tab: Tab): Promise<Glance> {
  const frame = tab.frame();
  const [pulse, tree] = await Promise.all([pulseOf(tab), lookAt(tab).catch(() => ({ nodes: [] }))]);
  return { pulse, tree, frame };
}

const glanceOfTab = Symbol("browse last glance");
const lastGlance = (tab: Tab): Glance | undefined => tab.memory<{ at?: Glance }>(glanceOfTab, () => ({})).at;

export function rememberGlance(tab: Tab, glance: Glance): void {
  tab.memory<{ at?: Glance }>(glanceOfTab, () => ({})).at = glance;
  rememberLook(tab, glance.tree);
}

/** The pulse and the look after it are sent together with a second pulse; it is still when both are the same. */
async function glanceTwice(tab: Tab): Promise<{ glance: Glance; isStill: boolean }> {
  const [first, later] = await Promise.all([glance(tab), pulseOf(tab)]);
  return { glance: { ...first, pulse: later }, isStill: first.pulse.still === later.still };
}

async function glanceWhenStill(tab: Tab): Promise<Glance> {
  const until = performance.now() + restlessMs;
  for (;;) {
    const { glance: seen, isStill } = await glanceTwice(tab);
    if (isStill || performance.now() > until) return seen;
  }
}

/** Where the page is scrolled to, and a word that stays the same as long as no frame's content moves. */
export interface TabPulse {
  readonly still: string;
  /** The number of the page's document; empty when it could not be asked. */
  readonly document: string;
  readonly x: number;
  readonly y: number;
}

async function pulseOf(tab: Tab): Promise<TabPulse> {
  const frames = tab.page.frames().slice(0, 20);
  const pulses = await Promise.all(
    frames.map((frame) => askPage(frame, { ask: "pulse" }, { timeoutMs: pulseMs }).catch(() => loading)),
  );
  const still = pulses.map(({ document, version }) => `${document}:${version}`).join();
  const { document, x, y } = pulses[0] ?? loading;
  return { still, document, x, y };
}

/** A frame that is between two documents. */
const loading: Pulse = { document: "", version: 0, x: 0, y: 0 };
