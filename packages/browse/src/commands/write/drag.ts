/**
 * Drags an element onto another, or from one place in it to another.
 *
 * - `drag(input, scope)` presses the element, moves the mouse, and releases it, also where dragging fails. What lies over the place of
 *   the drop does not matter: often it is what is dragged.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { DevflowError } from "@devflow/core/errors";
import type { Answer, BrowseInput, Tab, TabScope } from "../../command.ts";
import { askPage } from "../../page-world/ask-page.ts";
import { placeInWindow, type WindowPlace } from "../../page-world/frame-place.ts";
import type { Point } from "../../page-world/questions.ts";
import { withReceipt } from "../../receipts/with-receipt.ts";
import { type Found, readinessOf } from "../../targets/resolve-target.ts";
import { coverError } from "../../targets/suggest.ts";
import { explainAction, runAction } from "../run-action.ts";
import type { dragRecord } from "../write.ts";
import { beyondMiddle, type DragWay, dragWay, pointsOnWay, type Size } from "./drag-way.ts";
import { findReachable, findVisible, refuseOutside } from "./find-actionable.ts";
import { landingOf, placeOf } from "./press-element.ts";
import { selectedText, selectionLines } from "./selection-keys.ts";

type DragInput = BrowseInput<typeof dragRecord>;

const dragMs = 10_000;
const releaseMs = 500;
/** Some libraries look every 50 ms where the mouse is. */
const holdMs = 60;
/** Between two looks at whether what was dragged still moves. */
const restMs = 50;

interface Ends {
  readonly from: Found;
  readonly to: Found | undefined;
  readonly way: DragWay;
}

export async function drag(input: DragInput, scope: TabScope): Promise<Answer> {
  const way = dragWay(input.to);
  return withReceipt(scope, {
    async prepare(): Promise<Ends> {
      const from = await findReachable(scope, input.from, "drag", { at: way.from });
      const reach = { scroll: false, command: `drag @${from.ref}` };
      const to = way.target === undefined ? undefined : await findVisible(scope, way.target, "drag", reach);
      if (way.to) await refuseOutside(to ?? from, way.to);
      return { from, to, way };
    },
    async act(ends) {
      const { from, to } = ends;
      const [was, selected] = [await boxOf(from), await selectedText(scope.tab)];
      await runAction("drag", from, () => dragBy(scope, ends));
      const [begin, end] = [way.from, way.to].map((point) => (point ? ` at ${point.x},${point.y}` : ""));
      const did = `dragged ${from.label}${begin} to ${to ? to.label : "it"}${end}`;
      return {
        did,
        ifQuiet: async () => [...(await movedTo(from, was)), ...(await newSelection(scope.tab, selected))],
      };
    },
  });
}

async function dragBy(scope: TabScope, ends: Ends): Promise<void> {
  const { mouse } = scope.tab.page;
  const { signal } = scope;
  const stopped = Promise.withResolvers<never>();
  const stop = () => stopped.reject(signal.reason);
  const timer = setTimeout(() => stopped.reject(new Error(`it took longer than ${dragMs / 1_000} s`)), dragMs);
  signal.addEventListener("abort", stop);
  const button: Button = { isDown: false, isGivenUp: false };
  try {
    await Promise.race([dragTo(scope, ends, button), stopped.promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
    button.isGivenUp = true;
    // A page that hangs may not confirm it.
    if (button.isDown) await Promise.race([mouse.up().catch(() => undefined), sleep(releaseMs)]);
  }
}

interface Button {
  isDown: boolean;
  /** Nothing is pressed or moved any more. */
  isGivenUp: boolean;
}

async function dragTo({ tab }: TabScope, { from, to, way }: Ends, button: Button): Promise<void> {
  const { mouse } = tab.page;
  const first = await pressPlace(tab, from, way);
  // What appears under the mouse appears before the press.
  await mouse.move(first.point.x, first.point.y);
  const own = to ? undefined : await dropPlace(tab, from, way.to);
  const dragged = await sizeOf(from);
  const place = await pressPlace(tab, from, way);
  if (!isSame(first.point, place.point)) await mouse.move(place.point.x, place.point.y);
  if (button.isGivenUp) return;
  button.isDown = true;
  await mouse.down();
  const { landed, on = "", onRef } = await landingOf(tab, from, place, true);
  if (landed === "elsewhere") {
    await mouse.up();
    button.isDown = false;
    await landingOf(tab, from, place);
    throw coverError(tab, from.label, on, onRef, "dragged");
  }
  const drop = own ?? (await dropPlace(tab, to!, way.to));
  const beyond =
    to && !way.to ? beyondMiddle({ from: place.point, to: drop, dragged, target: await sizeOf(to) }) : undefined;
  const points = pointsOnWay(place.point, drop, beyond);
  for (const [step, { x, y }] of points.entries()) {
    if (step === points.length - 1) await sleep(holdMs);
    if (button.isGivenUp) return;
    await mouse.move(x, y);
  }
  await mouse.up();
  button.isDown = false;
}

async function pressPlace(tab: Tab, from: Found, { from: at }: DragWay): Promise<WindowPlace> {
  const place = await placeOf(tab, from, { at, done: "dragged" }, true);
  if (place) return place;
  const { frame, page } = from;
  const asked = readinessOf(page, { at, scroll: true });
  const readiness = await askPage(frame, asked);
  if (!readiness.cover) throw unheldError(from, readiness.point, (await askPage(frame, asked)).point);
  throw coverError(tab, from.label, readiness.cover, readiness.coverRef, "dragged");
}

/** It moves on, or what is there is not part of it: a ring has no middle. */
function unheldError(from: Found, was: Point | undefined, now: Point | undefined): DevflowError {
  if (!was || !now || !isSame(was, now)) return explainAction("drag", from, "element is not stable");
  const reason = "the mouse does not reach it there";
  const next = `Give a place where it does: devflow browse drag @${from.ref} at 2,2 to <target>`;
  return new DevflowError("browse_action_failed", { details: { action: "drag", target: from.label, reason, next } });
}

/** The middle of what is in view of it, or this place in it. */
async function dropPlace(tab: Tab, onto: Found, at: Point | undefined): Promise<Point> {
  const { point } = await askPage(onto.frame, readinessOf(onto.page, { at, scroll: true }));
  const place = point && (await placeInWindow(tab, onto.frame, point).catch(() => undefined));
  if (place) return place.point;
  throw explainAction("drag", onto, "outside of the viewport");
}

const sizeOf = ({ locator }: Found): Promise<Size> =>
  locator.evaluate((element) => {
    const { width, height } = element.getBoundingClientRect();
    return { width, height };
  });

/** Where it is on its page; undefined where it is gone. */
const boxOf = ({ locator }: Found): Promise<Point | undefined> =>
  locator
    .evaluate(
      (element) => {
        const { x, y } = element.getBoundingClientRect();
        return { x: Math.round(x + scrollX), y: Math.round(y + scrollY) };
      },
      undefined,
      { timeout: 1_000 },
    )
    .catch(() => undefined);

async function movedTo(from: Found, was: Point | undefined): Promise<string[]> {
  const now = await boxOf(from);
  if (!was || !now || isSame(was, now)) return [];
  await sleep(restMs);
  const later = await boxOf(from);
  const still = later && isSame(now, later) ? "" : " so far";
  return [`moved from ${was.x},${was.y} to ${now.x},${now.y}${still}`];
}

/** The mouse also selects words. */
async function newSelection(tab: Tab, before: string): Promise<string[]> {
  const now = await selectedText(tab);
  return now === before ? [] : selectionLines(now);
}

const isSame = (one: Point, other: Point): boolean => one.x === other.x && one.y === other.y;
