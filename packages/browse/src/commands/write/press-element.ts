/**
 * Presses the mouse on an element.
 *
 * - `pressElement(scope, found, how)` presses the point that was prepared when the element was found, and reads the page as
 *   the press leaves it, so an ordinary click takes three round trips. A press that would reach another element is kept from
 *   the page and tried once more, with the mouse already there; after that it fails and names what is in the way.
 * - `pointFrom(words)` the place in `click @e3 at 40,12`; `driverPlace(found, at)` the same place for Playwright.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { DevflowError } from "@devflow/core/errors";
import type { Tab, TabScope } from "../../command.ts";
import { askPage } from "../../page-world/ask-page.ts";
import type { Landing, Point, Readiness } from "../../page-world/questions.ts";
import { lookDirectly, type PageState } from "../../receipts/wait-for-effect.ts";
import { refBookOf } from "../../snapshot/ref-book.ts";
import { pendingNavigation } from "../../tab-events/navigations.ts";
import type { Found } from "../../targets/resolve-target.ts";
import { actionTimeoutMs } from "../run-action.ts";

export interface Press {
  readonly button?: "left" | "right" | "middle";
  readonly times?: 1 | 2;
  readonly modifiers?: readonly ("Alt" | "Control" | "Meta" | "Shift")[] | undefined;
  readonly at?: Point | undefined;
}

export interface Pressed {
  /** The page right after the press. */
  readonly seen?: Promise<PageState | undefined>;
}

/** Until it has stopped moving. */
const stillMs = 1_500;
const frameMs = 16;
/** What appears under the mouse has appeared by then. */
const hoverMs = 60;

export async function pressElement(scope: TabScope, found: Found, press: Press = {}): Promise<Pressed> {
  const isInFrame = found.frame !== scope.tab.page.mainFrame();
  const ready = isInFrame || press.modifiers ? undefined : await untilReady(found, press);
  if (!ready) {
    await pressByDriver(scope, found, press);
    return {};
  }
  const first = await pressPoint(scope.tab, found, ready, press);
  if (first.landing.landed !== "elsewhere") return first;
  await sleep(hoverMs);
  const again = await untilReady(found, press, true);
  const second = again ? await pressPoint(scope.tab, found, again, press) : first;
  if (second.landing.landed !== "elsewhere") return second;
  const { on = "", onRef } = second.landing;
  const ref = onRef ? `@${refBookOf(scope.tab).refFor(onRef, { role: "cover", name: "" })} ` : "";
  throw new DevflowError("browse_covered", { details: { target: found.label, cover: `${ref}${on}` } });
}

async function untilReady(found: Found, { at }: Press, isOld = false): Promise<Point | undefined> {
  const question = { ask: "readiness", ref: found.page, scroll: true, press: true, ...(at && { at }) } as const;
  const until = performance.now() + stillMs;
  let readiness: Readiness | undefined = isOld ? undefined : found.readiness;
  for (;;) {
    if (readiness?.ready && readiness.point) return readiness.point;
    if (readiness && (!readiness.live || performance.now() > until)) return undefined;
    if (readiness) await sleep(frameMs);
    readiness = await askPage(found.frame, question).catch(() => undefined);
    if (!readiness) return undefined;
  }
}

/** Moves, presses and releases in one go: the mouse is where the next event needs it without waiting for a frame. */
async function pressPoint(
  tab: Tab,
  found: Found,
  { x, y }: Point,
  press: Press,
): Promise<Pressed & { landing: Landing }> {
  const cdp = await tab.cdp();
  const { button = "left", times = 1 } = press;
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
  const landing = landingOf(tab, found);
  // Asked together, both travel in one message.
  const seen = lookDirectly(tab);
  return { landing: await landing, seen };
}

/** A page that is leaving answers nothing, and then the press had an effect. */
async function landingOf(tab: Tab, found: Found): Promise<Landing> {
  const unseen: Landing = { landed: "unseen" };
  let isKnown = false;
  const asked = askPage(found.frame, { ask: "landed" }, { timeoutMs: landedMs }).catch(() => unseen);
  const answered = asked.finally(() => {
    isKnown = true;
  });
  const left = async () => {
    while (!isKnown && !pendingNavigation(tab)) await sleep(frameMs);
    return unseen;
  };
  return await Promise.race([answered, left()]);
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
export async function driverPlace({ locator }: Found, { x, y }: Point): Promise<{ x: number; y: number }> {
  const border = await locator.evaluate(({ clientLeft, clientTop }) => ({ x: clientLeft, y: clientTop }));
  return { x: x - border.x, y: y - border.y };
}

export function pointFrom(words: readonly string[]): Point | undefined {
  if (words.length === 0) return undefined;
  const given = (words[0] === "at" ? words.slice(1) : words).join("");
  const [, x, y] = /^(-?\d+(?:\.\d+)?),(-?\d+(?:\.\d+)?)$/.exec(given) ?? [];
  if (x !== undefined && y !== undefined) return { x: Number(x), y: Number(y) };
  const problem = `${words.join(" ")} is not a place in the element.`;
  throw new DevflowError("usage", {
    details: { problem, next: "From its top left corner, for example: devflow browse click @e3 at 40,12" },
  });
}
