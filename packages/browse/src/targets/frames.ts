/**
 * The frames of a page, as a person knows them.
 *
 * - `nameOfFrame(frame)` its title, name or address.
 * - `isFrameShown(frame)` it and the frames around it can be seen.
 * - `frameNames(tab, nodes)` what the frames are called that nodes of a tree are in; those of the page itself have none.
 * - `askFrame(asked, otherwise)` what a frame says, or `otherwise` if it is gone or has no document yet.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Frame } from "playwright-core";
import type { Tab } from "../command.ts";
import { frameOf } from "../snapshot/capture-tree.ts";
import type { PageNode } from "../snapshot/page-tree.ts";

export async function nameOfFrame(frame: Frame): Promise<string> {
  const element = await frame.frameElement();
  const title = await element.getAttribute("title");
  return title || frame.name() || frame.url();
}

export async function isFrameShown(frame: Frame): Promise<boolean> {
  const parent = frame.parentFrame();
  if (!parent) return true;
  const element = await frame.frameElement();
  const box = await element.boundingBox();
  return box !== null && box.width > 1 && box.height > 1 && (await isFrameShown(parent));
}

export async function frameNames(tab: Tab, nodes: readonly PageNode[]): Promise<ReadonlyMap<number, string>> {
  const byFrame = new Map(
    nodes.filter(({ frame, ref }) => frame > 0 && ref !== undefined).map((one) => [one.frame, one]),
  );
  const named = await Promise.all(
    [...byFrame].map(async ([index, { ref }]) => {
      const frame = await frameOf(tab, ref!);
      const name = frame && (await nameOfFrame(frame).catch(() => ""));
      return name ? ([[index, name]] as const) : [];
    }),
  );
  return new Map(named.flat());
}

/** A frame without a document answers nothing. */
const frameMs = 1_000;

export async function askFrame<T>(asked: Promise<T>, otherwise: T): Promise<T> {
  return await Promise.race([asked.catch(() => otherwise), sleep(frameMs, otherwise, { ref: false })]);
}
