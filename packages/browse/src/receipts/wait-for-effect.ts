/**
 * Waits for the effect of an action; next-step.ts decides how long.
 *
 * - `waitForEffect(waiting)` checks until it is time to read the page, and reads it.
 * - `waitForContent(tab, activity, timeLeft)` the same for a page that has just been opened.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Frame } from "playwright-core";
import type { Tab } from "../command.ts";
import { askPage } from "../page-world/ask-page.ts";
import { askDirectly, isDirect, readAfterTyping } from "../page-world/direct-way.ts";
import type { FrameVersion, PageReading, PageRef } from "../page-world/questions.ts";
import { captureTree, hasNoFrames, rememberTree, treeFrom } from "../snapshot/capture-tree.ts";
import { hearNews } from "../snapshot/news-lines.ts";
import type { PageTree } from "../snapshot/page-tree.ts";
import { pendingNavigation } from "../tab-events/navigations.ts";
import type { Activity } from "./activity.ts";
import { busyMs, isLoading, isWayStation } from "./at-work.ts";
import { canReact } from "./can-react.ts";
import { changesBetween } from "./describe-diff.ts";
import { isOpening, isSign } from "./effect-signs.ts";
import { answerMs, nextStep, pollMs } from "./next-step.ts";

/** A page that keeps changing is read again for this long, then taken as it is. */
const unstableMs = 120;
const nextDocumentMs = 10_000;
/** Between a script that arrived and what it asks for next. */
const nextRequestMs = 80;
const stationMs = 4_000;
/** Nothing tells when an element can be reached. */
const reachMs = 50;
/** From a new URL to what a router shows for it, which it may render when nothing else is to be done. */
const routeMs = 200;
/** Kept for the receipt. */
const reserveMs = 300;
/** The question waits behind the snapshot that was requested before it, which takes seconds on the largest pages. */
const versionMs = 15_000;
/** A page gets its input before Chromium confirms it. It may prevent it, and then there is none. */
const noInputMs = 20;

/** The page's tree, with the version read just before it. */
export interface PageState {
  /** The page has requested this document, which has not arrived; what it shows cannot be read meanwhile. */
  readonly waitingFor?: string;
  readonly tree: PageTree;
  readonly version: TabVersion;
  /** The frame that commands worked in; `frame` may change it. */
  readonly frame: Frame;
}

export interface Waiting {
  readonly tab: Tab;
  readonly activity: Activity;
  readonly before: PageState;
  /** Whether something besides the page's content shows the effect. */
  readonly hasSideEffect: () => boolean;
  readonly onlyAsked?: () => boolean;
  readonly timeLeft: () => number;
  readonly patienceMs?: number | undefined;
  readonly signMs?: number | undefined;
  /** The page as the action left it, if it was read along with the action. */
  readonly seen?: Promise<PageState | undefined> | undefined;
  /** What was acted on. */
  readonly on?: PageRef | undefined;
  /** A list opens by it. */
  readonly opens?: boolean | undefined;
}

/** The page after the action had its effect. Usually the first read is enough, which costs one round trip. */
export async function waitForEffect(waiting: Waiting): Promise<PageState> {
  const { tab, activity, before, hasSideEffect } = waiting;
  const start = performance.now();
  let isFirst = true;
  // A page that is leaving answers nothing until the next document is there.
  const orLeft = <T>(work: Promise<T>): Promise<T | undefined> =>
    Promise.race([work, activity.left.then(() => undefined)]);
  const read = async () => (await orLeft(readStateTwice(tab))) ?? { state: before };
  const first = waiting.seen && (await orLeft(waiting.seen));
  let seen = first ? { state: first } : await read();
  // Who is patient waits for something that can be told: a progress bar without a name is not enough.
  const isEffect = waiting.patienceMs === undefined ? isChanged : isTold;
  let changed = isEffect(before, seen.state);
  const isOpeningNow = () => isOpening(before.tree, seen.state.tree, waiting.on);
  let readAt = performance.now();
  let openingSince = isOpeningNow() ? readAt : undefined;
  let answer: { at: number; fingerprint: string } | undefined;
  let motion: { at: number; fingerprint: string } | undefined;
  const isSubmitting = seen.state.version.submitting;
  if (!changed && !isSubmitting && activity.pending() === 0 && !hasSideEffect() && waiting.patienceMs === undefined) {
    // Only the page's own scripts could still change something.
    if (!(await Promise.race([canReact(tab), activity.left])) && !activity.isLeaving()) return seen.state;
  }
  for (;;) {
    if (activity.isLeaving()) return nextDocument(waiting);
    const version = isFirst ? seen.state.version : await tabVersion(tab);
    isFirst = false;
    const now = performance.now();
    const answeredAt = activity.lastAnswerAt();
    if (answeredAt !== undefined && answer?.at !== answeredAt)
      answer = { at: answeredAt, fingerprint: version.fingerprint };
    if (version.moving !== undefined) motion = { at: now, fingerprint: version.fingerprint };
    const step = nextStep({
      elapsedMs: now - start,
      changed,
      changedSinceAnswer: answer !== undefined && version.fingerprint !== answer.fingerprint,
      pending: activity.pending(),
      sinceAnswerMs: answer && now - answer.at,
      submitting: version.submitting,
      busyMs: changed ? workMs(before, seen.state, waiting) : undefined,
      moving: version.moving !== undefined,
      openingForMs: openingSince && now - openingSince,
      sinceMotionMs: motion?.fingerprint === version.fingerprint ? now - motion.at : undefined,
      hasSideEffect: hasSideEffect(),
      onlyAsked: waiting.onlyAsked?.(),
      patienceMs: waiting.patienceMs,
      signMs: waiting.signMs,
    });
    const isFresh = version.fingerprint === seen.state.version.fingerprint;
    if (step === "read" && !activity.isLeaving()) {
      if (changed && isFresh && openingSince === undefined) return seen.state;
      await letTimersRun(tab);
      return readStateWhenStable(tab);
    }
    if (step !== "read") await sleep(step);
    const isStill = version.moving === undefined && performance.now() - readAt > reachMs;
    const mayBeReached = openingSince !== undefined && isStill;
    if ((!isFresh || mayBeReached) && activity.pending() === 0) {
      seen = await read();
      readAt = performance.now();
      changed = isEffect(before, seen.state);
      openingSince = isOpeningNow() ? (openingSince ?? readAt) : undefined;
    }
  }
}

/** How long the page may be at work on what was done. */
function workMs(before: PageState, after: PageState, { on, opens }: Waiting): number | undefined {
  const isBusy = after.version.busy && !before.version.busy;
  return isBusy || isLoading(after.tree, before.tree) ? answerMs : busyMs(before.tree, after.tree, on, opens);
}

async function nextDocument({ tab, activity, before, timeLeft }: Waiting): Promise<PageState> {
  const start = performance.now();
  const isSame = (state: PageState) => state.version.document === before.version.document && !isChanged(before, state);
  for (;;) {
    const limitMs = Math.max(0, Math.min(nextDocumentMs, timeLeft() - reserveMs));
    const url = await documentArrives(tab, limitMs);
    if (url !== undefined) return { ...before, waitingFor: url };
    const state = await waitForContent(tab, activity, timeLeft);
    // A router changes the URL first and then the page.
    const mayRender = () => isSame(state) && performance.now() < start + routeMs;
    while (mayRender() && !pendingNavigation(tab)) {
      if ((await tabVersion(tab)).fingerprint !== state.version.fingerprint) break;
      await sleep(pollMs);
    }
    if (!pendingNavigation(tab) && !mayRender()) return state;
  }
}

/** Until its requests are answered and used, and nothing says any more that the page is being loaded. */
export async function waitForContent(tab: Tab, activity: Activity, timeLeft: () => number): Promise<PageState> {
  const start = performance.now();
  const hasTime = (ms: number) => performance.now() - start < Math.min(ms, timeLeft() - reserveMs);
  for (;;) {
    const isAsking = () => {
      const answeredAt = activity.lastAnswerAt();
      return activity.pending() > 0 || (answeredAt !== undefined && performance.now() - answeredAt < nextRequestMs);
    };
    while (isAsking() && hasTime(answerMs)) await sleep(pollMs);
    const state = await readStateWhenStable(tab);
    const isStation = isWayStation(state.tree);
    const isUnfinished = isStation || state.version.busy === true || isLoading(state.tree);
    const isOver = () => !hasTime(isStation && state.tree.nodes.length > 0 ? stationMs : answerMs);
    if (!isUnfinished || isOver()) return state;
    // Something else is shown, or asked for.
    while (!isOver() && !isAsking() && !pendingNavigation(tab)) {
      if ((await tabVersion(tab)).fingerprint !== state.version.fingerprint) break;
      await sleep(pollMs);
    }
    await documentArrives(tab, Math.max(0, Math.min(answerMs, timeLeft() - reserveMs)));
  }
}

/** The URL of one that has not arrived in time. */
async function documentArrives(tab: Tab, limitMs: number): Promise<string | undefined> {
  const until = performance.now() + limitMs;
  while (pendingNavigation(tab) && performance.now() < until) await sleep(pollMs);
  const pending = pendingNavigation(tab);
  if (pending) return pending.url;
  const timeout = Math.max(1, Math.floor(until - performance.now()));
  await tab.page.waitForLoadState("domcontentloaded", { timeout }).catch(() => undefined);
  return undefined;
}

/**
 * On a busy machine one of the page's timers may be due without having run; a timer set now runs after it. Limited,
 * since the page could delay it.
 */
async function letTimersRun(tab: Tab): Promise<void> {
  const ran = tab.page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 0))).catch(() => undefined);
  await Promise.race([ran, sleep(250)]);
}

/** Compares what can be read: classes and styles that change while a button is pressed are mutations too. */
const isChanged = (before: PageState, after: PageState): boolean => isSign(before.tree, after.tree);

const isTold = (before: PageState, after: PageState): boolean =>
  changesBetween(before.tree, after.tree, 1).shown.length > 0;

/**
 * The page before an action. When nothing changed since the last receipt, that state is reused, which halves the cost of
 * a receipt. What a script changes without touching the document (a field's value) then appears in the next receipt.
 */
export async function stateBefore(tab: Tab): Promise<PageState> {
  const last = lastState(tab);
  if (last === undefined || last.frame !== tab.frame() || last.tree.nodes.length === 0) return stateNow(tab);
  const { fingerprint } = last.version;
  const direct = await readDirectly(tab, fingerprint);
  if (direct) return direct.tree ? { ...direct, tree: direct.tree } : { ...last, version: direct.version };
  const version = await tabVersion(tab, true);
  return version.fingerprint === fingerprint ? { ...last, version } : stateNow(tab);
}

/** On a page of which only the view is read, the state before an action is read after scrolling to its target. */
export async function stateInView(tab: Tab, first: PageState): Promise<PageState> {
  if (!first.version.large) return first;
  const state = await stateNow(tab);
  return { ...state, version: { ...state.version, x: first.version.x, y: first.version.y } };
}

export async function stateNow(tab: Tab): Promise<PageState> {
  const direct = await lookDirectly(tab);
  if (direct) return direct;
  const frame = tab.frame();
  const [version, tree] = await Promise.all([tabVersion(tab, true), captureTree(tab).catch(() => ({ nodes: [] }))]);
  return { version, tree, frame };
}

/** Whether the page can be read in one round trip. Chromium answers nothing while a document is on its way. */
export function canLookDirectly(tab: Tab): boolean {
  const frame = tab.frame();
  return frame === tab.page.mainFrame() && isDirect(frame) && hasNoFrames(tab) && !pendingNavigation(tab);
}

/** In one round trip; undefined where that is not possible. */
export async function lookDirectly(tab: Tab): Promise<PageState | undefined> {
  const read = await readDirectly(tab);
  return read?.tree && { ...read, tree: read.tree };
}

/**
 * As soon as the page has reacted to what is typed next, without another round trip; undefined where that is not possible,
 * and a moment after `typed` when the page got no input from it.
 */
export async function lookAfterTyping(tab: Tab, typed: Promise<unknown>): Promise<PageState | undefined> {
  if (!canLookDirectly(tab)) return undefined;
  const late = typed.then(() => sleep(noInputMs)).catch(() => undefined);
  const reading = await Promise.race([readAfterTyping(tab.frame()), late]);
  if (!reading) return undefined;
  const { tree, ...state } = stateFrom(tab, reading);
  return tree && { ...state, tree };
}

/** Without the tree if the version is still `unless`. */
async function readDirectly(
  tab: Tab,
  unless?: string,
): Promise<(Omit<PageState, "tree"> & { readonly tree?: PageTree }) | undefined> {
  if (!canLookDirectly(tab)) return undefined;
  const question = { ask: "state", ...(unless !== undefined && { unless }) } as const;
  const answer = await askDirectly(tab.frame(), question, { timeoutMs: versionMs }).catch(() => undefined);
  if (!answer || answer.value.tree === null) return undefined;
  return stateFrom(tab, answer.value);
}

/** Without the tree if the reading has none. */
export function stateFrom(
  tab: Tab,
  { version, tree, ...labels }: PageReading,
): Omit<PageState, "tree"> & { tree?: PageTree } {
  hearNews(tab, version.news);
  const fingerprint = fingerprintOf([version]);
  const hasTree = tree !== undefined && tree !== null;
  return { frame: tab.frame(), version: { ...version, fingerprint }, ...(hasTree && { tree: treeFrom(tree, labels) }) };
}

const fingerprintOf = (versions: readonly FrameVersion[]): string =>
  versions.map(({ document, version }) => `${document}:${version}`).join();

const lastStateKey = Symbol("browse last state");
const lastState = (tab: Tab): PageState | undefined => tab.memory<{ at?: PageState }>(lastStateKey, () => ({})).at;

export function rememberState(tab: Tab, state: PageState): void {
  tab.memory<{ at?: PageState }>(lastStateKey, () => ({})).at = state;
  rememberTree(tab, state.tree);
}

/** Requests version, tree and version together; the page is stable when both versions are the same. */
async function readStateTwice(tab: Tab): Promise<{ state: PageState; isStable: boolean }> {
  const direct = await lookDirectly(tab);
  // Nothing can change within one answer.
  if (direct) return { state: direct, isStable: true };
  const [first, later] = await Promise.all([stateNow(tab), tabVersion(tab)]);
  return { state: { ...first, version: later }, isStable: first.version.fingerprint === later.fingerprint };
}

async function readStateWhenStable(tab: Tab): Promise<PageState> {
  const until = performance.now() + unstableMs;
  for (;;) {
    const { state, isStable } = await readStateTwice(tab);
    if (isStable || performance.now() > until) return state;
  }
}

/** The scroll position, and a fingerprint that stays the same as long as no frame's content changes. */
export interface TabVersion extends Omit<FrameVersion, "document"> {
  readonly fingerprint: string;
  /** The number of the page's document; empty when it could not be asked. */
  readonly document: string;
}

export async function tabVersion(tab: Tab, looks = false): Promise<TabVersion> {
  const frames = tab.page.frames().slice(0, 20);
  const question = { ask: "version", ...(looks && { looks }) } as const;
  const versions = await Promise.all(
    frames.map((frame) => askPage(frame, question, { timeoutMs: versionMs }).catch(() => loading)),
  );
  const news = versions.flatMap((one) => one.news);
  hearNews(tab, news);
  return { ...(versions[0] ?? loading), news, fingerprint: fingerprintOf(versions) };
}

/** For a frame that is between two documents. */
const loading: FrameVersion = {
  document: "",
  version: 0,
  grown: 0,
  x: 0,
  y: 0,
  large: false,
  title: "",
  news: [],
  touched: [],
};
