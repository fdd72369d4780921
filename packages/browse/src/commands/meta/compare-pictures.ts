/**
 * Compares a screenshot with a baseline. Chromium decodes and compares the pictures, in an empty page of its own, so no
 * image library is needed.
 *
 * - `comparePictures(context, baseline, picture, masked)` how many pixels differ, and a picture of the difference. A pixel
 *   counts only if it is not in a masked area, and if its colour is not between those around it in the other picture, so
 *   smoothed edges that moved a little do not. Throws `input_invalid` for a baseline that is no picture.
 */
import { DevflowError } from "@devflow/core/errors";
import type { BrowserContext } from "playwright-core";

/** In pixels of the picture. */
export interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Comparison {
  readonly width: number;
  readonly height: number;
  readonly isOtherSize: boolean;
  readonly differing: number;
  /** PNG: the new picture, pale, with what differs in red. */
  readonly picture: Buffer;
}

export async function comparePictures(
  context: BrowserContext,
  baseline: Buffer,
  picture: Buffer,
  masked: readonly Area[] = [],
): Promise<Comparison> {
  const page = await context.browser()!.newPage();
  try {
    const [before = "", after = ""] = [baseline, picture].map(
      (image) => `data:image/png;base64,${image.toString("base64")}`,
    );
    const compared = await page.evaluate(compareInPage, { before, after, masked });
    if (!compared) {
      const next = "Remove the file, and the next run writes it, or name another one.";
      throw new DevflowError("input_invalid", { details: { problem: "The baseline is not a picture.", next } });
    }
    const { url, ...result } = compared;
    return { ...result, picture: Buffer.from(url.slice(url.indexOf(",") + 1), "base64") };
  } finally {
    await page.close();
  }
}

interface Pictures {
  readonly before: string;
  readonly after: string;
  readonly masked: readonly Area[];
}

async function compareInPage({ before, after, masked }: Pictures) {
  /** Of 255, per channel: compression and font smoothing stay below. */
  const tolerance = 24;
  const pixelsOf = async (url: string) => {
    const image = await createImageBitmap(await (await fetch(url)).blob());
    const canvas = new OffscreenCanvas(image.width, image.height);
    const pen = canvas.getContext("2d")!;
    pen.drawImage(image, 0, 0);
    return pen.getImageData(0, 0, image.width, image.height);
  };
  const [old, now] = await Promise.all([pixelsOf(before).catch(() => undefined), pixelsOf(after)]);
  if (!old) return undefined;
  const isMasked = (x: number, y: number): boolean =>
    masked.some((area) => x >= area.x && x < area.x + area.width && y >= area.y && y < area.y + area.height);
  const { width, height } = now;
  const isClose = (a: ImageData, at: number, b: ImageData, other: number): boolean => {
    for (let channel = 0; channel < 3; channel++) {
      if (Math.abs(a.data[at + channel]! - b.data[other + channel]!) > tolerance) return false;
    }
    return true;
  };
  /** Each channel is between those of the pixels around it in the other picture, as on a smoothed edge that moved. */
  const isBetween = (a: ImageData, x: number, y: number, b: ImageData): boolean => {
    for (let channel = 0; channel < 3; channel++) {
      let [least, most] = [255, 0];
      for (let row = Math.max(0, y - 1); row <= Math.min(b.height - 1, y + 1); row++) {
        for (let column = Math.max(0, x - 1); column <= Math.min(b.width - 1, x + 1); column++) {
          const value = b.data[(row * b.width + column) * 4 + channel]!;
          least = Math.min(least, value);
          most = Math.max(most, value);
        }
      }
      const value = a.data[(y * a.width + x) * 4 + channel]!;
      if (value < least - tolerance || value > most + tolerance) return false;
    }
    return true;
  };
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  const pen = canvas.getContext("2d")!;
  const shown = pen.createImageData(width, height);
  let differing = 0;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = (y * width + x) * 4;
      const isInBoth = x < old.width && y < old.height;
      const isAlike =
        isInBoth &&
        (isClose(now, at, old, (y * old.width + x) * 4) || (isBetween(now, x, y, old) && isBetween(old, x, y, now)));
      const isSame = isAlike || isMasked(x, y);
      if (!isSame) differing += 1;
      const pale = (channel: number) => 255 - (255 - now.data[at + channel]!) / 4;
      shown.data.set(isSame ? [pale(0), pale(1), pale(2), 255] : [220, 0, 0, 255], at);
    }
  }
  pen.putImageData(shown, 0, 0);
  const isOtherSize = old.width !== width || old.height !== height;
  return { width, height, isOtherSize, differing, url: canvas.toDataURL("image/png") };
}
