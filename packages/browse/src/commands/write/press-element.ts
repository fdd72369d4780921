/**
 * Presses the mouse on an element.
 *
 * - `pressElement(scope, found, how)` presses the point that was prepared when the element was found, and reads the page as
 *   the press leaves it, so an ordinary click takes three round trips. A press that would reach another element is kept from
 *   the page and tried once more, with the mouse already there; after that it fails and names what is in the way. So is one whose
 *   click went elsewhere without any effect; one with an effect is told as what it was.
 * - `placeOf(tab, found, how)` where in the window to press it, prepared; `landingOf(tab, found, place)` what a press there reached;
 *   `moveOver(scope, found)` moves the mouse there.
 * - `pointFrom(words)` the place in `click @e3 at 40,12`.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { DevflowError } from "@devflow/core/errors";
import type { Frame } from "playwright-core";
import type { Tab, TabScope } from "../../command.ts";
import { askPage } from "../../page-world/ask-page.ts";
import { placeInWindow, type WindowPlace } from "../../page-world/frame-place.ts";
import { documentOf, type Landing, type PageAnswers, type Point, type Readiness } from "../../page-world/questions.ts";
import { lookDirectly, type PageState } from "../../receipts/wait-for-effect.ts";
import { pendingNavigation } from "../../tab-events/navigations.ts";
import type { Found } from "../../targets/resolve-target.ts";
import { coverError } from "../../targets/suggest.ts";
import { actionTimeoutMs } from "../run-action.ts";

export interface Press {
  readonly button?: "left" | "right" | "middle";
  readonly times?: 1 | 2;
  readonly modifiers?: readonly ("Alt" | "Control" | "Meta" | "Shift")[] | undefined;
  readonly at?: Point | undefined;
  /** For messages: what is done by it, if it is no click. */
  readonly done?: "dragged";
}

export interface Pressed {
  /** The page right after the press. */
  readonly seen?: Promise<PageState | undefined>;
  /** It was pressed, but the click went to something else, or there was none. */
  readonly strayed?: Landing["strayed"];
}

interface Reached {
  readonly seen?: Promise<PageState | undefined>;
  readonly landing: Landing;
}

/** Until it has stopped moving. */
const stillMs = 1_500;
/** Until what lies over its frame is gone. */
const clearMs = 800;
const frameMs = 16;
/** What appears under the mouse has appeared by then. */
const hoverMs = 60;

export async function pressElement(scope: TabScope, found: Found, press: Press = {}): Promise<Pressed> {
  const place = press.modifiers ? undefined : await placeOf(scope.tab, found, press);
  if (!place) {
    await pressByDriver(scope, found, press);
    return {};
  }
  const first = await pressPoint(scope.tab, found, place, press);
  if (!isMissed(first) && !first.landing.strayed?.isIdle) return pressedBy(first);
  await sleep(hoverMs);
  const again = await placeOf(scope.tab, found, press, true);
  const second = again ? await pressPoint(scope.tab, found, again, press) : first;
  if (!isMissed(second)) return pressedBy(second);
  const { landed, on = "", onRef } = second.landing;
  if (landed === "elsewhere") throw coverError(scope.tab, found.label, on, onRef);
  throw unreachedError(found, "the press did not arrive in its frame");
}

/** Nothing but the element may be pressed; in a frame something has to be. */
const isMissed = ({ landing: { landed } }: Reached): boolean => landed === "elsewhere" || landed === "nowhere";

/** Moves the mouse over an element; undefined where its place is not known. */
export async function moveOver({ tab }: TabScope, found: Found): Promise<true | undefined> {
  const place = await placeOf(tab, found, {});
  if (!place) return undefined;
  const cdp = await tab.cdp();
  await cdp.send("Input.dispatchMouseEvent", { type: "mouseMoved", ...place.point, button: "none" });
  await Promise.all([found, ...place.passes].map(({ frame }) => askPage(frame, { ask: "landed" })));
  return true;
}

function unreachedError({ label, ref }: Found, reason: string, action = "click"): DevflowError {
  const next = `See where it is: devflow browse screenshot @${ref}`;
  return new DevflowError("browse_action_failed", { details: { action, target: label, reason, next } });
}

const pressedBy = ({ seen, landing: { strayed } }: Reached): Pressed => ({
  ...(seen && { seen }),
  ...(strayed && { strayed }),
});

/** Undefined when only Playwright may find it. */
export async function placeOf(tab: Tab, found: Found, press: Press, isOld = false): Promise<PressPlace | undefined> {
  if (found.frame !== tab.page.mainFrame()) return await placeThroughFrames(tab, found, press, isOld);
  const ready = await untilReady(found, press, isOld);
  const { point, leaving } = ready ?? {};
  return point && { point, passes: [], ...(leaving && { leaving }) };
}

/** In the window. */
interface PressPlace extends WindowPlace {
  /** Where the mouse has to move first. */
  readonly leaving?: Point;
}

/** The documents around its frame are prepared, too: the press may only go into that frame. */
async function placeThroughFrames(
  tab: Tab,
  found: Found,
  press: Press,
  isOld: boolean,
): Promise<WindowPlace | undefined> {
  const until = performance.now() + clearMs;
  let known = isOld ? undefined : found.readiness;
  for (;;) {
    known ??= await askPage(found.frame, readinessFor(found, press)).catch(() => undefined);
    const { point } = known ?? {};
    const place = point && (await placeInWindow(tab, found.frame, point).catch(() => undefined));
    if (!place) return undefined;
    const blocked = await blockedAt(place);
    if (!blocked) {
      const ready = known?.ready ? point : (await untilReady(found, press, true))?.point;
      if (!ready || isSamePoint(ready, point)) return ready && place;
    } else if (performance.now() > until) {
      if (blocked.cover) throw coverError(tab, found.label, blocked.cover, blocked.coverRef, press.done);
      throw unreachedError(found, "it cannot be scrolled into view", press.done && "drag");
    } else {
      const middle = { block: "center", inline: "center", behavior: "instant" } as const;
      await found.locator.evaluate((element, where) => element.scrollIntoView(where), middle);
      await sleep(frameMs);
    }
    known = undefined;
  }
}

/** Outermost first: a frame that is out of view may not even render. */
async function blockedAt({ passes }: WindowPlace): Promise<PageAnswers["passage"] | undefined> {
  for (const { frame, owner, point } of passes) {
    const passage = await askPage(frame, { ask: "passage", into: owner, point });
    if (passage.cover !== undefined || passage.outside) return passage;
  }
  return undefined;
}

const isSamePoint = (one: Point, other: Point): boolean => Math.hypot(one.x - other.x, one.y - other.y) < 1;

const readinessFor = (found: Found, { at }: Press) =>
  ({ ask: "readiness", ref: found.page, scroll: true, press: true, ...(at && { at }) }) as const;

async function untilReady(found: Found, press: Press, isOld = false): Promise<Readiness | undefined> {
  const question = readinessFor(found, press);
  const until = performance.now() + stillMs;
  let readiness: Readiness | undefined = isOld ? undefined : found.readiness;
  for (;;) {
    if (readiness?.ready && readiness.point) return readiness;
    if (readiness && (!readiness.live || performance.now() > until)) return undefined;
    if (readiness) await sleep(frameMs);
    readiness = await askPage(found.frame, question).catch(() => undefined);
    if (!readiness) return undefined;
  }
}

/** Moves, presses and releases in one go: the mouse is where the next event needs it without waiting for a frame. */
async function pressPoint(tab: Tab, found: Found, place: PressPlace, press: Press): Promise<Reached> {
  const cdp = await tab.cdp();
  // Chromium makes one move of two that it gets at once, so the first one has to arrive.
  if (place.leaving)
    await cdp.send("Input.dispatchMouseEvent", { type: "mouseMoved", ...place.leaving, button: "none" });
  const { button = "left", times = 1 } = press;
  const { x, y } = place.point;
  const send = (type: "mouseMoved" | "mousePressed" | "mouseReleased", clickCount: number) =>
    cdp.send("Input.dispatchMouseEvent", {
      type,
      x,
      y,
      ...(type === "mouseMoved" ? { button: "none" } : { button, clickCount }),
      buttons: type === "mousePressed" ? buttonBits[button] : 0,
    });
  const events = [send("mouseMoved", 0)];
  for (let count = 1; count <= times; count++) events.push(send("mousePressed", count), send("mouseReleased", count));
  const done = await Promise.allSettled(events);
  const failure = done.find((one) => one.status === "rejected");
  // A page that the press closed answers nothing more.
  if (failure && !/closed|detached/i.test(String(failure.reason))) throw failure.reason;
  const landing = landingOf(tab, found, place);
  // Asked together, both travel in one message.
  const seen = lookDirectly(tab);
  return { landing: await landing, seen };
}

/**
 * A page that is leaving answers nothing, and then the press had an effect. While the button is held, one that was kept from the page
 * stays so until it is released and this is asked again.
 */
export async function landingOf(tab: Tab, found: Found, { passes }: WindowPlace, isHeld = false): Promise<Landing> {
  const unseen: Landing = { landed: "unseen" };
  let isKnown = false;
  const landedIn = (frame: Frame) =>
    askPage(frame, { ask: "landed", ...(isHeld && { isHeld }) }, { timeoutMs: landedMs }).catch((): Landing => unseen);
  const asked = Promise.all([found.frame, ...passes.map(({ frame }) => frame)].map(landedIn));
  const answered = asked.then(([own = unseen, ...around]) => {
    if (own.landed !== "unseen" || passes.length === 0) return own;
    return around.find(({ landed }) => landed === "elsewhere") ?? unseenIn(found);
  });
  const left = async () => {
    while (!isKnown && !pendingNavigation(tab)) await sleep(frameMs);
    return unseen;
  };
  return await Promise.race([answered.finally(() => (isKnown = true)), left()]);
}

/** The press may have closed the frame or led it to another document. */
async function unseenIn({ frame, page }: Found): Promise<Landing> {
  const asked = askPage(frame, { ask: "document" }, { timeoutMs: landedMs }).catch(() => "");
  const isSame = !frame.isDetached() && (await asked) === documentOf(page);
  return { landed: isSame ? "nowhere" : "unseen" };
}

const buttonBits = { left: 1, right: 2, middle: 4 } as const;
/** The press may have led to another document, which knows nothing of it. */
const landedMs = 1_000;

async function pressByDriver({ signal }: TabScope, found: Found, press: Press): Promise<void> {
  const { button = "left", times = 1, modifiers, at } = press;
  const options = {
    button,
    timeout: actionTimeoutMs,
    signal,
    ...(modifiers && { modifiers: [...modifiers] }),
    ...(at && { position: await driverPlace(found, at) }),
  };
  await (times === 2 ? found.locator.dblclick(options) : found.locator.click(options));
}

/** Playwright counts from inside the border; a screenshot of the element, and everything else here, from its corner. */
async function driverPlace({ locator }: Found, { x, y }: Point): Promise<{ x: number; y: number }> {
  const border = await locator.evaluate(({ clientLeft, clientTop }) => ({ x: clientLeft, y: clientTop }));
  return { x: x - border.x, y: y - border.y };
}

export function pointFrom(words: readonly string[], example = "click @e3 at 40,12"): Point | undefined {
  if (words.length === 0) return undefined;
  const given = (words[0] === "at" ? words.slice(1) : words).join("");
  const [, x, y] = /^(-?\d+(?:\.\d+)?),(-?\d+(?:\.\d+)?)$/.exec(given) ?? [];
  if (x !== undefined && y !== undefined) return { x: Number(x), y: Number(y) };
  const problem = `${words.join(" ")} is not a place in the element.`;
  const next = `From its top left corner, for example: devflow browse ${example}`;
  throw new DevflowError("usage", { details: { problem, next } });
}
