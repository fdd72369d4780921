import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import { DevflowError } from "@devflow/core/errors";
import type { Locator } from "playwright-core";
import type { Answer, BrowseInput, Tab, TabScope } from "../../command.ts";
import { resolveTarget } from "../../targets/resolve-target.ts";
import { outputFile, sizeWords, writeOutput } from "../output-file.ts";
import { capturePage, leftOutWords, type PagePicture } from "./capture-page.ts";
import { type Area, comparePictures } from "./compare-pictures.ts";
import type { screenshotRecord } from "./pictures.ts";

type ScreenshotInput = BrowseInput<typeof screenshotRecord>;

const lastScreenshot = Symbol("last screenshot");

/** `screenshot @e3` says what to take, not where to put it. */
const ofRef = ({ path, ...shared }: ScreenshotInput): ScreenshotInput =>
  shared.target === undefined && path !== undefined && /^@[ec]\d+$/.test(path)
    ? { ...shared, target: path }
    : { ...shared, path };

export async function screenshot(given: ScreenshotInput, scope: TabScope): Promise<Answer> {
  const { tab, files } = scope;
  const input = ofRef(given);
  if (/\.jpe?g$/i.test(input.compare ?? "")) {
    const next = "Name a .png file: JPEG loses what is compared.";
    throw new DevflowError("usage", { details: { problem: "A baseline is a PNG.", next } });
  }
  const type = /^\.jpe?g$/i.test(extname(input.path ?? "")) || input.quality !== undefined ? "jpeg" : "png";
  const taken = await take(scope, input, type);
  const { image } = taken;
  const leftOut = leftOutWords(taken);
  if (input.compare !== undefined) return await compareWith(input.compare, taken, input.allow, { tab, files });
  const memory = tab.memory(lastScreenshot, () => ({ hash: "" }));
  const hash = createHash("sha256").update(image).digest("hex");
  const isSame = memory.hash === hash;
  memory.hash = hash;
  if (input.ifChanged && isSame) return { text: "It is identical to the last screenshot.", data: { changed: false } };
  if (input.inline) {
    const data = { changed: !isSame, type, base64: image.toString("base64"), url: tab.page.url() };
    const text = [`${sizeWords(image.length)}; use --json to get the image`, leftOut].filter(Boolean).join("\n");
    return { text, data };
  }
  const extension = type === "jpeg" ? "jpg" : "png";
  const path = await outputFile(files, input.path, { folder: "screenshots", extension });
  await writeOutput(path, image);
  const { height } = taken;
  const data = { path, bytes: image.length, changed: !isSame, ...(height && { height }) };
  return { text: [`${path} (${sizeWords(image.length)})`, leftOut].filter(Boolean).join("\n"), data };
}

/** A missing baseline is written, so that the first run is the same command as every other. */
async function compareWith(
  given: string,
  { image, masked }: Taken,
  allow: number,
  { tab, files }: Pick<TabScope, "tab" | "files">,
): Promise<Answer> {
  const baseline = await files
    .forReading(given)
    .then((path) => readFile(path))
    .catch(() => undefined);
  if (!baseline) {
    const path = await files.forWriting(given);
    await writeOutput(path, image);
    return { text: `There was no baseline; this is one now: ${path}`, data: { baseline: path, written: true } };
  }
  const { width, height, differing, isOtherSize, picture } = await comparePictures(
    tab.page.context(),
    baseline,
    image,
    masked,
  );
  const percent = (100 * differing) / (width * height);
  const isSame = !isOtherSize && percent <= allow;
  const figures = `${differing} of ${width * height} pixels differ (${percent.toFixed(2)} %)`;
  const data = { baseline: given, same: isSame, differing, percent, isOtherSize };
  if (isSame) return { text: differing === 0 ? `It looks like ${given}.` : `${figures}, which is allowed.`, data };
  const path = await files.forWriting(given.replace(/(\.png)?$/i, ".diff.png"));
  await writeOutput(path, picture);
  const size = isOtherSize ? "; the pictures have different sizes" : "";
  return { text: `${figures}${size}. In red: ${path}`, data: { ...data, picture: path }, exit: differsExit };
}

/** As for evidence that differs. */
const differsExit = 65;

interface Taken extends PagePicture {
  /** What does not count when it is compared; the baseline may have been taken without masks. */
  readonly masked: readonly Area[];
}

async function take(scope: TabScope, input: ScreenshotInput, type: "jpeg" | "png"): Promise<Taken> {
  const { tab } = scope;
  const { full, target, quality, compare } = input;
  const mask = await Promise.all(
    (input.mask ?? []).map(async (word) => (await resolveTarget(tab, word, { part: true })).locator),
  );
  const options = {
    type,
    ...(type === "jpeg" ? { quality: quality ?? 80 } : {}),
    animations: "disabled",
    ...(mask.length > 0 && { mask, maskColor: "#808080" }),
  } as const;
  const of = target === undefined ? undefined : (await resolveTarget(tab, target, { part: true })).locator;
  const picture = of
    ? { image: await of.screenshot({ ...options, timeout: 5_000 }) }
    : await capturePage(scope, options, full);
  const isCompared = compare !== undefined && mask.length > 0;
  return { ...picture, masked: isCompared ? await areasOf(tab, mask, full ? "page" : of) : [] };
}

/** Where they are in a picture of the window, the whole page, or an element. */
async function areasOf(tab: Tab, mask: readonly Locator[], of: "page" | Locator | undefined): Promise<Area[]> {
  const { scale, ...scrolled } = await tab.page.evaluate(() => ({ scale: devicePixelRatio, x: -scrollX, y: -scrollY }));
  const start = of === undefined ? { x: 0, y: 0 } : of === "page" ? scrolled : cornerOf(await of.boundingBox());
  const boxes = await Promise.all(mask.map((one) => one.boundingBox()));
  return boxes.flatMap((box) => {
    if (!box || !start) return [];
    const [x, y] = [Math.floor((box.x - start.x) * scale), Math.floor((box.y - start.y) * scale)];
    const right = Math.ceil((box.x - start.x + box.width) * scale);
    const bottom = Math.ceil((box.y - start.y + box.height) * scale);
    return [{ x, y, width: right - x, height: bottom - y }];
  });
}

/** A picture of an element begins at a whole pixel. */
function cornerOf(box: Pick<Area, "x" | "y"> | null): Pick<Area, "x" | "y"> | undefined {
  return box ? { x: Math.floor(box.x + 0.001), y: Math.floor(box.y + 0.001) } : undefined;
}

export async function pdf(
  input: { path?: string | undefined; format: string; landscape: boolean },
  { tab, files }: TabScope,
): Promise<Answer> {
  const path = await outputFile(files, input.path, { folder: "pdf", extension: "pdf" });
  const paper = await tab.page.pdf({ format: input.format, landscape: input.landscape, printBackground: true });
  await writeOutput(path, paper);
  return { text: `${path} (${sizeWords(paper.length)})`, data: { path, bytes: paper.length } };
}

const widths = [
  { name: "mobile", width: 375, height: 812 },
  { name: "tablet", width: 768, height: 1024 },
  { name: "desktop", width: 1280, height: 800 },
] as const;

export async function responsive({ prefix }: { prefix?: string | undefined }, scope: TabScope): Promise<Answer> {
  const { tab, files } = scope;
  const before = tab.page.viewportSize();
  const stamp = new Date().toISOString().replace(/[-:]/g, "").slice(0, 15);
  const saved: { name: string; width: number; height: number; path: string }[] = [];
  try {
    for (const { name, width, height } of widths) {
      await tab.page.setViewportSize({ width, height });
      const given = prefix === undefined ? undefined : `${prefix}-${name}.png`;
      const path = await outputFile(files, given, { folder: `screenshots/${stamp}`, extension: `${name}.png` });
      const picture = await capturePage(scope, { animations: "disabled" }, true);
      await writeOutput(path, picture.image);
      saved.push({ name, width, height, path });
    }
  } finally {
    if (before) await tab.page.setViewportSize(before);
  }
  return {
    text: saved.map(({ width, height, path }) => `${width}x${height} ${path}`).join("\n"),
    data: { pictures: saved },
  };
}
