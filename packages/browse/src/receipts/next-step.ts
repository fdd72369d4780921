/**
 * When to read the page after an action. There is no fixed pause: the page's own changes decide how long to wait.
 *
 * - `nextStep(observed)` pure: read the page now, or how many milliseconds to wait before checking again.
 *
 * How long it waits:
 * - something readable changed and no response is pending: not at all; frameworks render within the event or its
 *   microtasks
 * - a response is pending (fetch, script): until it has arrived and the page has used it, 1.5 s at most, since long polls
 *   never answer
 * - nothing changed, and the page listens for nothing that a person does: not at all
 * - nothing readable changed: 100 ms, so that debounced handlers (most use 50 ms or less) run before the receipt says
 *   that there was no effect; 300 ms after a press, since who hears of none presses again
 * - all that changed is that the pressed button is at work (`Saving…`, or disabled): until it has done it, 1.5 s at most
 * - all that changed is what was typed into a field with suggestions: 600 ms, since these wait until nothing more is typed
 * - a form was submitted: until its document is requested, 1.5 s at most, since a script may have cancelled it
 * - what came cannot be reached yet, or all that happened is that something says it is open: 150 ms, until it begins to move
 * - a dialog or a menu is on its way in or out: until it has arrived, 0.4 s at most, and until the page has removed what
 *   faded, 60 ms at most
 * - the page is navigating away: until the next document has what it asks for, 1.5 s at most; one that only says to wait
 *   (`One moment…`) gets 4 s to go on
 */
export const firstSignMs = 100;
export const answerMs = 1_500;
/** Between a response and the page's reaction to it. */
export const renderMs = 40;
export const pollMs = 8;
const motionMs = 400;
/** A transition begins two frames after its element came. */
const openingMs = 150;
/** Timers of the same length as a transition end up to three frames after it. */
const removalMs = 60;

export interface Observed {
  readonly elapsedMs: number;
  /** Something readable differs from before the action. */
  readonly changed: boolean;
  /** Anything on the page changed after the last response. */
  readonly changedSinceAnswer: boolean;
  readonly pending: number;
  readonly sinceAnswerMs: number | undefined;
  /** A form was submitted, and its document is not requested yet. */
  readonly submitting?: boolean | undefined;
  /** How long what was acted on may be at work, if that is all that changed. */
  readonly busyMs?: number | undefined;
  /** A dialog or a menu is on its way in or out. */
  readonly moving?: boolean | undefined;
  /** How long it has been seen that what came, or what opened, is not all there. */
  readonly openingForMs?: number | undefined;
  /** Since it was last seen to move, unless the page has changed since then. */
  readonly sinceMotionMs?: number | undefined;
  /** A dialog, a download or a new tab already shows the effect. */
  readonly hasSideEffect: boolean;
  /** That is a dialog, and what follows from its answer is the effect. */
  readonly onlyAsked?: boolean | undefined;
  /** How long to wait for a first sign, if not as usual; `patienceMs` for one that can be told. */
  readonly signMs?: number | undefined;
  readonly patienceMs?: number | undefined;
}

export function nextStep(observed: Observed): "read" | number {
  if (observed.hasSideEffect && !observed.onlyAsked) return "read";
  if (observed.elapsedMs < (observed.busyMs ?? 0)) return pollMs;
  if (observed.pending > 0 || observed.submitting) return observed.elapsedMs < answerMs ? pollMs : "read";
  const { sinceAnswerMs } = observed;
  if (sinceAnswerMs !== undefined && !observed.changedSinceAnswer && sinceAnswerMs < renderMs) return pollMs;
  if (observed.moving && observed.elapsedMs < motionMs) return pollMs;
  if (!observed.moving && (observed.sinceMotionMs ?? removalMs) < removalMs) return pollMs;
  if ((observed.openingForMs ?? openingMs) < openingMs) return pollMs;
  if (observed.changed) return "read";
  if (observed.onlyAsked) return observed.elapsedMs < renderMs ? pollMs : "read";
  return observed.elapsedMs < (observed.patienceMs ?? observed.signMs ?? firstSignMs) ? pollMs : "read";
}
