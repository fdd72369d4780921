/**
 * How long to wait for the effect of an action. No fixed pause: the page itself says when it has something to show.
 *
 * - `nextStep(seen)` pure: look now, or how many milliseconds to wait before asking again.
 * - `settle(tab, activity, from)` asks until it is time to look.
 *
 * The choice, by case:
 * - something changed and no answer is awaited: look at once; frameworks render within the event or its microtasks
 * - an answer is awaited (fetch, script): until it came and the page did something with it, 1.5 s at most, since
 *   long polls never answer
 * - nothing changed at all: 100 ms, so that debounced handlers (most use 50 ms or less) are seen before the receipt
 *   says that there was no effect
 * - the page is being left: until the next document can be read
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Tab } from "../command.ts";
import { askPage } from "../page-world/ask-page.ts";
import type { Pulse } from "../page-world/questions.ts";
import type { Activity } from "./activity.ts";

export const firstSignMs = 100;
export const answerMs = 1_500;
/** Between an answer and what the page makes of it. */
export const renderMs = 40;
const askAgainMs = 8;
const nextDocumentMs = 10_000;

export interface Seen {
  readonly elapsedMs: number;
  /** Anything of the page is other than before the action. */
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

export async function settle(tab: Tab, activity: Activity, from: number, told: () => boolean): Promise<void> {
  const start = performance.now();
  let answer: { at: number; version: number } | undefined;
  for (;;) {
    if (activity.isLeaving()) {
      await tab.page.waitForLoadState("domcontentloaded", { timeout: nextDocumentMs }).catch(() => undefined);
      return;
    }
    const { version } = await pulseOf(tab);
    const now = performance.now();
    const answeredAt = activity.lastAnswerAt();
    if (answeredAt !== undefined && answer?.at !== answeredAt) answer = { at: answeredAt, version };
    const step = nextStep({
      elapsedMs: now - start,
      changed: version !== from,
      changedSinceAnswer: answer !== undefined && version !== answer.version,
      pending: activity.pending(),
      sinceAnswerMs: answer && now - answer.at,
      told: told(),
    });
    if (step === "look") return;
    await sleep(step);
  }
}

/** Of all frames together; a frame that is just loading counts as one more change. The place is the page's own. */
export async function pulseOf(tab: Tab): Promise<Pulse> {
  const frames = tab.page.frames().slice(0, 20);
  const pulses = await Promise.all(
    frames.map((frame) => askPage(frame, { ask: "pulse" }, { timeoutMs: 1_000 }).catch(() => loading)),
  );
  return { ...pulses[0]!, version: pulses.reduce((sum, { version }) => sum + version, 0) };
}

const loading: Pulse = { version: 1, x: 0, y: 0 };
