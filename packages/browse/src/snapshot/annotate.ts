/**
 * A screenshot with the refs drawn on it.
 *
 * - `annotatedScreenshot(tab, labels)` the visible part of the page. The labels are drawn in a closed shadow root that is
 *   removed right after.
 */
import type { Tab } from "../command.ts";
import type { Box } from "./page-tree.ts";

export interface Labelled {
  readonly ref: string;
  readonly box: Box;
}

export async function annotatedScreenshot(tab: Tab, labels: readonly Labelled[]): Promise<Buffer> {
  const { page } = tab;
  const host = await page.mainFrame().evaluateHandle((drawn) => {
    const layer = document.createElement("div");
    layer.setAttribute("aria-hidden", "true");
    layer.style.cssText = "all:initial;position:fixed;inset:0;z-index:2147483647;pointer-events:none";
    const root = layer.attachShadow({ mode: "closed" });
    for (const { ref, box } of drawn) {
      const frame = document.createElement("div");
      frame.style.cssText = `position:fixed;left:${box.x}px;top:${box.y}px;width:${box.width}px;height:${box.height}px;outline:2px solid #d0021b`;
      const tag = document.createElement("span");
      tag.textContent = `@${ref}`;
      tag.style.cssText =
        "position:absolute;left:0;top:0;background:#d0021b;color:#fff;font:bold 11px monospace;padding:0 2px";
      frame.append(tag);
      root.append(frame);
    }
    document.documentElement.append(layer);
    return layer;
  }, labels);
  try {
    return await page.screenshot({ timeout: 15_000, animations: "allow" });
  } finally {
    await host.evaluate((layer) => layer.remove()).catch(() => undefined);
    await host.dispose().catch(() => undefined);
  }
}
