/**
 * Where a point of a frame is in the window. A frame may be padded, scaled, rotated or zoomed, and so may the frames around it; only
 * the browser knows the outcome. It tells where the four corners of a frame are in the nearest document around it that has a
 * process of its own, so the way up goes from one such document to the next.
 *
 * - `placeInWindow(tab, frame, point)` the point in the window, and the frames that a press passes on its way, the page's own
 *   first; undefined when the frame is gone or is not shown.
 * - `throughQuad(quad, x, y)` pure: where a point of the unit square is after it was drawn into this quad.
 */
import type { CDPSession, Frame } from "playwright-core";
import type { Tab } from "../command.ts";
import { askPage, refOfElement } from "./ask-page.ts";
import { contextsOf } from "./isolated-contexts.ts";
import type { PageRef, Point } from "./questions.ts";

/** A document on the way, with the frame in it that the press goes into, and where. */
export interface Pass {
  readonly frame: Frame;
  readonly owner: PageRef;
  readonly point: Point;
}

export interface WindowPlace {
  readonly point: Point;
  readonly passes: readonly Pass[];
}

/** x and y of the top left, top right, bottom right and bottom left corner. */
export type Quad = readonly number[];

export async function placeInWindow(tab: Tab, frame: Frame, point: Point): Promise<WindowPlace | undefined> {
  const passes: Pass[] = [];
  let at = { frame, point };
  while (at.frame !== tab.page.mainFrame()) {
    const pass = await passInto(tab, at.frame, at.point);
    if (!pass) return undefined;
    passes.unshift(pass);
    at = pass;
  }
  return { point: at.point, passes };
}

async function passInto(tab: Tab, frame: Frame, { x, y }: Point): Promise<Pass | undefined> {
  const parent = frame.parentFrame();
  if (!parent) return undefined;
  const around = await documentAround(tab, parent);
  try {
    const view = { ask: "view" } as const;
    const [owner, { width, height }, outside, top] = await Promise.all([
      ownerOf(frame),
      askPage(frame, view),
      askPage(parent, view),
      askPage(around.frame, view),
    ]);
    const quad = await cornersOf(around.cdp, owner);
    if (!quad || width === 0 || height === 0) return undefined;
    // Chromium tells the corners in pixels of the document that the frame is in, which may itself be zoomed as a frame.
    const zoom = outside.density / top.density;
    const inTop = quad.map((one) => one * zoom);
    const point = throughQuad(inTop, x / width, y / height);
    const outer = outermost(frame, around.frame);
    return { frame: around.frame, owner: outer === frame ? owner : await ownerOf(outer), point };
  } finally {
    await around.close();
  }
}

interface OwnProcess {
  readonly frame: Frame;
  readonly cdp: CDPSession;
  close(): Promise<unknown>;
}

/** Only a frame with a process of its own has a session; the others are part of what is around them. */
async function documentAround(tab: Tab, frame: Frame): Promise<OwnProcess> {
  const parent = frame.parentFrame();
  if (!parent) return { frame, cdp: await tab.cdp(), close: async () => undefined };
  const cdp = await tab.page
    .context()
    .newCDPSession(frame)
    .catch(() => undefined);
  if (!cdp) return documentAround(tab, parent);
  return { frame, cdp, close: () => cdp.detach().catch(() => undefined) };
}

function outermost(frame: Frame, within: Frame): Frame {
  let at = frame;
  for (let up = at.parentFrame(); up && up !== within; up = at.parentFrame()) at = up;
  return at;
}

async function ownerOf(frame: Frame): Promise<PageRef> {
  const element = await frame.frameElement();
  try {
    return await refOfElement(element);
  } finally {
    await element.dispose();
  }
}

async function cornersOf(cdp: CDPSession, owner: PageRef): Promise<Quad | undefined> {
  for (const { unique } of await contextsOf(cdp)) {
    const expression = `globalThis.__devflow?.find(${JSON.stringify(owner)}) ?? null`;
    const { result } = await cdp.send("Runtime.evaluate", { expression, uniqueContextId: unique });
    if (result.objectId === undefined) continue;
    const { model } = await cdp.send("DOM.getBoxModel", { objectId: result.objectId });
    return model.content;
  }
  return undefined;
}

/** The projective map of the unit square to a quad (Heckbert, "Fundamentals of Texture Mapping", 1989, section 2.2.3). */
export function throughQuad(quad: Quad, x: number, y: number): Point {
  const [x0 = 0, y0 = 0, x1 = 0, y1 = 0, x2 = 0, y2 = 0, x3 = 0, y3 = 0] = quad;
  const [dx1, dx2, sx] = [x1 - x2, x3 - x2, x0 - x1 + x2 - x3];
  const [dy1, dy2, sy] = [y1 - y2, y3 - y2, y0 - y1 + y2 - y3];
  const size = dx1 * dy2 - dx2 * dy1;
  const [g, h] = size === 0 ? [0, 0] : [(sx * dy2 - dx2 * sy) / size, (dx1 * sy - sx * dy1) / size];
  const depth = g * x + h * y + 1;
  return {
    x: ((x1 - x0 + g * x1) * x + (x3 - x0 + h * x3) * y + x0) / depth,
    y: ((y1 - y0 + g * y1) * x + (y3 - y0 + h * y3) * y + y0) / depth,
  };
}
