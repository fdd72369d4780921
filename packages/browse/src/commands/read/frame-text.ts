/**
 * The text of frames.
 *
 * - `textInFrame(frame)` of its document and the frames in it; waits a moment for one that is still empty.
 * - `textsOfFrames(frame, outer)` of the frames in this one that can be seen, each after a line that names it; only those in
 *   `outer`, if it is given.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { ElementHandle, Frame } from "playwright-core";
import { quote } from "../../snapshot/line.ts";
import { nameOfFrame } from "../../targets/frames.ts";

/** How long a frame may take to have words. */
const wordsMs = 1_500;
const pollMs = 50;
const frameMs = 2_000;
const stillLoading = "(still loading)";

export async function textInFrame(frame: Frame): Promise<string[]> {
  const read = await untilWords(frame, true);
  const words = read.words || (read.isLoading ? stillLoading : "");
  return [...(words === "" ? [] : [words]), ...(await textsOfFrames(frame))];
}

export async function textsOfFrames(frame: Frame, outer?: ElementHandle): Promise<string[]> {
  const texts = await Promise.all(frame.childFrames().map((child) => textOfFrame(child, outer).catch(() => [])));
  return texts.flat();
}

async function textOfFrame(frame: Frame, outer: ElementHandle | undefined): Promise<string[]> {
  const element = await frame.frameElement();
  const [isSeen, isInside, loadsInView] = await Promise.all([
    element.isVisible(),
    outer === undefined || element.evaluate(isIn, outer),
    element.evaluate((one) => (one as HTMLIFrameElement).loading === "lazy"),
  ]);
  if (!isSeen || !isInside) return [];
  const { words, isLoading, hasArrived } = await untilWords(frame, false, loadsInView);
  const head = `[frame ${quote(await nameOfFrame(frame), 80)}]\n`;
  if (!hasArrived && loadsInView) return [`${head}(loads when it is scrolled into view)`];
  if (words === "" && isLoading) return [`${head}${stillLoading}`];
  return [...(words === "" ? [] : [`${head}${words}`]), ...(await textsOfFrames(frame))];
}

/** Through shadow roots. */
function isIn(inner: Node, outer: Node): boolean {
  for (let at: Node | null = inner; at; at = at.parentNode ?? (at as ShadowRoot).host ?? null) {
    if (at === outer) return true;
  }
  return false;
}

interface FrameText {
  readonly words: string;
  readonly isLoading: boolean;
  readonly hasArrived: boolean;
}

/** `isAsked`: nothing else will be shown, so an application in it may take a moment to begin, too. */
async function untilWords(frame: Frame, isAsked: boolean, loadsInView = false): Promise<FrameText> {
  const until = performance.now() + wordsMs;
  for (;;) {
    const read = await readFrame(frame);
    const isWorthIt = read.hasArrived ? read.isLoading || (isAsked && frame.childFrames().length === 0) : !loadsInView;
    if (read.words !== "" || !isWorthIt || performance.now() > until) return read;
    await sleep(pollMs);
  }
}

async function readFrame(frame: Frame): Promise<FrameText> {
  // Where there is no document yet, the question would wait for one.
  if (!(await isArrived(frame))) return { words: "", isLoading: true, hasArrived: false };
  const read = await frame
    .locator("body,frameset")
    .first()
    .evaluate(
      (body) => ({
        text: (body as HTMLElement).innerText,
        isLoading: body.ownerDocument.readyState !== "complete",
      }),
      undefined,
      { timeout: frameMs },
    )
    .catch(() => ({ text: "", isLoading: true }));
  return { words: plainText(read.text), isLoading: read.isLoading, hasArrived: true };
}

/** Until its server answers, a frame has an empty document. */
async function isArrived(frame: Frame): Promise<boolean> {
  if (frame.parentFrame() === null || !/^(about:blank)?$/.test(frame.url())) return true;
  const element = await frame.frameElement();
  return await element.evaluate((one) => {
    const frame = one as HTMLIFrameElement;
    const source = frame.getAttribute("src") ?? "";
    return frame.hasAttribute("srcdoc") || source === "" || /^(about|javascript):/.test(source);
  });
}

export const plainText = (text: string): string =>
  text
    .replace(/[ \t]+\n/g, "\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
