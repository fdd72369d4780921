/**
 * Where a drag begins and ends, and how the mouse gets there.
 *
 * - `dragWay(words)` pure: `@e8`, `to @e8`, `@e8 at 30,20`, `at 10,60 to 150,60`, `at 10,60 to @e8`. Places are from the top left corner
 *   of the element.
 * - `pointsOnWay(from, to, beyond)` pure: in steps, since many libraries start a drag only after the mouse has moved a little, and the
 *   last ones small, as a person's are.
 * - `beyondMiddle(aim)` pure: lists decide by the side of an item on which the mouse is, so the drop is a little beyond its middle.
 */
import type { Point } from "../../page-world/questions.ts";
import { pointFrom } from "./press-element.ts";

export interface DragWay {
  readonly from?: Point | undefined;
  readonly target?: string;
  readonly to?: Point | undefined;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

const steps = 7;
const smallStep = 2;
const mostBeyond = 5;
const mostDrift = 2;
const inIt = "drag @e3 at 5,10 to 150,10";

export function dragWay(words: readonly string[]): DragWay {
  const to = words.indexOf("to");
  const from = to > 0 ? pointFrom(words.slice(0, to), inIt) : undefined;
  const [target = "", ...place] = words.slice(to + 1);
  const isPlace = target === "at" || /^-?[\d.]+,/.test(target);
  if (isPlace || target === "") return { from, to: pointFrom(target === "" ? words : words.slice(to + 1), inIt) };
  return { from, target, to: pointFrom(place, "drag @e3 @e8 at 30,20") };
}

export function pointsOnWay(from: Point, to: Point, beyond: Point = { x: 0, y: 0 }): readonly Point[] {
  const end = { x: to.x + beyond.x, y: to.y + beyond.y };
  const isBeyond = beyond.x !== 0 || beyond.y !== 0;
  const [across, down] = isBeyond ? [beyond.x, beyond.y] : [to.x - from.x, to.y - from.y];
  const length = Math.hypot(across, down);
  if (length === 0) return [end];
  const small = Math.min(smallStep, Math.hypot(end.x - from.x, end.y - from.y) / steps);
  const before = (pixels: number): Point => ({
    x: end.x - (across / length) * pixels,
    y: end.y - (down / length) * pixels,
  });
  const near = before(2 * small);
  const far = Array.from({ length: steps }, (_, step) => ({
    x: from.x + ((near.x - from.x) * (step + 1)) / steps,
    y: from.y + ((near.y - from.y) * (step + 1)) / steps,
  }));
  return [...far, before(small), end].map(({ x, y }) => ({ x: Math.round(x), y: Math.round(y) }));
}

interface Aim {
  readonly from: Point;
  readonly to: Point;
  readonly dragged: Size;
  readonly target: Size;
}

/** Half of the way to the target's edge at most; what fits into the target stays in it. */
export function beyondMiddle({ from, to, dragged, target }: Aim): Point {
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  if (length === 0) return { x: 0, y: 0 };
  const [spareWidth, spareHeight] = [target.width - dragged.width, target.height - dragged.height];
  const isInside = spareWidth > 0 && spareHeight > 0;
  const within = (side: number, spare: number) => Math.min(mostBeyond, side / 4, isInside ? spare / 2 : mostBeyond);
  const [most, mostDown] = [within(target.width, spareWidth), within(target.height, spareHeight)];
  const [across, down] = [(to.x - from.x) / length, (to.y - from.y) / length];
  const pixels = Math.min(most / Math.abs(across), mostDown / Math.abs(down), mostBeyond);
  const [x, y] = [Math.trunc(across * pixels), Math.trunc(down * pixels)];
  // No hand moves exactly level; to the right is also onwards, and so is down.
  return { x, y: y === 0 ? Math.sign(across) * Math.trunc(Math.min(mostDrift, mostDown)) : y };
}
