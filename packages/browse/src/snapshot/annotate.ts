/**
 * A screenshot with the refs drawn on it.
 *
 * - `annotatedScreenshot(tab, labels)` the visible part of the page. The labels are drawn in a closed shadow root that is
 *   removed right after.
 * - `labelPlace(label)` pure: in the corner of a box, or outside of one that it would hide.
 */
import type { Tab } from "../command.ts";
import type { Box } from "./page-tree.ts";

export interface Labelled {
  readonly ref: string;
  readonly box: Box;
}

const labelHeight = 13;
const characterWidth = 7;

export function labelPlace({ ref, box }: Labelled): "inside" | "above" | "below" {
  const hidden = Math.min(box.width, (ref.length + 1) * characterWidth + 4) * Math.min(box.height, labelHeight);
  if (hidden <= (box.width * box.height) / 3) return "inside";
  return box.y >= labelHeight ? "above" : "below";
}

export async function annotatedScreenshot(tab: Tab, labels: readonly Labelled[]): Promise<Buffer> {
  const { page } = tab;
  const placed = labels.map((label) => ({ ...label, place: labelPlace(label) }));
  const host = await page.mainFrame().evaluateHandle((drawn) => {
    const layer = document.createElement("div");
    layer.setAttribute("aria-hidden", "true");
    layer.style.cssText = "all:initial;position:fixed;inset:0;z-index:2147483647;pointer-events:none";
    const root = layer.attachShadow({ mode: "closed" });
    for (const { ref, box, place } of drawn) {
      const frame = document.createElement("div");
      frame.style.cssText = `position:fixed;left:${box.x}px;top:${box.y}px;width:${box.width}px;height:${box.height}px;outline:2px solid #d0021b`;
      const tag = document.createElement("span");
      tag.textContent = `@${ref}`;
      const corner = { inside: "left:0;top:0", above: "left:-2px;bottom:100%", below: "left:-2px;top:100%" }[place];
      tag.style.cssText = `position:absolute;${corner};background:#d0021b;color:#fff;font:bold 11px monospace;padding:0 2px`;
      frame.append(tag);
      root.append(frame);
    }
    document.documentElement.append(layer);
    return layer;
  }, placed);
  try {
    return await page.screenshot({ timeout: 15_000, animations: "allow" });
  } finally {
    await host.evaluate((layer) => layer.remove()).catch(() => undefined);
    await host.dispose().catch(() => undefined);
  }
}
