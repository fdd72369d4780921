import { createHash } from "node:crypto";
import { stat, writeFile } from "node:fs/promises";
import { extname } from "node:path";
import type { Answer, BrowseInput, Tab, TabScope } from "../../command.ts";
import { resolveTarget } from "../../targets/resolve-target.ts";
import { outputFile, sizeWords } from "./output-file.ts";
import type { screenshotRecord } from "./pictures.ts";

type ScreenshotInput = BrowseInput<typeof screenshotRecord>;

const lastScreenshot = Symbol("last screenshot");

export async function screenshot(input: ScreenshotInput, { tab, files }: TabScope): Promise<Answer> {
  const type = /^\.jpe?g$/i.test(extname(input.path ?? "")) || input.quality !== undefined ? "jpeg" : "png";
  const image = await take(tab, input, type);
  const memory = tab.memory(lastScreenshot, () => ({ hash: "" }));
  const hash = createHash("sha256").update(image).digest("hex");
  const isSame = memory.hash === hash;
  memory.hash = hash;
  if (input.ifChanged && isSame) return { text: "It is identical to the last screenshot.", data: { changed: false } };
  if (input.inline) {
    const data = { changed: !isSame, type, base64: image.toString("base64"), url: tab.page.url() };
    return { text: `${sizeWords(image.length)}; use --json to get the image`, data };
  }
  const extension = type === "jpeg" ? "jpg" : "png";
  const path = await outputFile(files, input.path, { folder: "screenshots", extension });
  await writeFile(path, image);
  return { text: `${path} (${sizeWords(image.length)})`, data: { path, bytes: image.length, changed: !isSame } };
}

async function take(tab: Tab, { full, target, quality }: ScreenshotInput, type: "jpeg" | "png"): Promise<Buffer> {
  const options = { type, ...(type === "jpeg" ? { quality: quality ?? 80 } : {}), animations: "disabled" } as const;
  if (target === undefined) return await tab.page.screenshot({ ...options, fullPage: full });
  const { locator } = await resolveTarget(tab, target);
  return await locator.screenshot({ ...options, timeout: 5_000 });
}

export async function pdf(
  input: { path?: string | undefined; format: string; landscape: boolean },
  { tab, files }: TabScope,
): Promise<Answer> {
  const path = await outputFile(files, input.path, { folder: "pdf", extension: "pdf" });
  await tab.page.pdf({ path, format: input.format, landscape: input.landscape, printBackground: true });
  const { size } = await stat(path);
  return { text: `${path} (${sizeWords(size)})`, data: { path, bytes: size } };
}

const widths = [
  { name: "mobile", width: 375, height: 812 },
  { name: "tablet", width: 768, height: 1024 },
  { name: "desktop", width: 1280, height: 800 },
] as const;

export async function responsive(
  { prefix }: { prefix?: string | undefined },
  { tab, files }: TabScope,
): Promise<Answer> {
  const before = tab.page.viewportSize();
  const stamp = new Date().toISOString().replace(/[-:]/g, "").slice(0, 15);
  const saved: { name: string; width: number; height: number; path: string }[] = [];
  try {
    for (const { name, width, height } of widths) {
      await tab.page.setViewportSize({ width, height });
      const given = prefix === undefined ? undefined : `${prefix}-${name}.png`;
      const path = await outputFile(files, given, { folder: `screenshots/${stamp}`, extension: `${name}.png` });
      await writeFile(path, await tab.page.screenshot({ fullPage: true, animations: "disabled" }));
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
