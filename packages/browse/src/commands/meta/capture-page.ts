/**
 * A picture of a page that may be navigating, or too high to be drawn.
 *
 * - `capturePage(scope, options, isFull)` the picture, and how much of the page's height it leaves out. A page that navigates away
 *   while it is captured is kept where it is, as for reading.
 * - `leftOutWords(picture)` what is left out, and how to see it; undefined when nothing is.
 */
import { DevflowError } from "@devflow/core/errors";
import type { PageScreenshotOptions } from "playwright-core";
import type { TabScope } from "../../command.ts";
import { readWhileStopping, stayOnPage } from "../../snapshot/stay-on-page.ts";

/** Chromium draws no higher picture, in pixels of the screen. Measured: 540,000 took 30 s and ended with an error. */
const mostPixels = 16_000;

export interface PagePicture {
  readonly image: Buffer;
  /** Of the page, when not all of it is shown. */
  readonly height?: { readonly whole: number; readonly shown: number };
}

export async function capturePage(
  { tab, signal }: Pick<TabScope, "tab" | "signal">,
  options: PageScreenshotOptions,
  isFull: boolean,
): Promise<PagePicture> {
  const capture = async (until: AbortSignal): Promise<PagePicture> => {
    if (!isFull) return { image: await tab.page.screenshot({ ...options, signal: until }) };
    const { width, whole, most } = await sizeOf(tab.page, mostPixels);
    if (whole <= most) return { image: await tab.page.screenshot({ ...options, fullPage: true, signal: until }) };
    const clip = { x: 0, y: 0, width, height: most };
    const image = await tab.page.screenshot({ ...options, fullPage: true, clip, signal: until });
    return { image, height: { whole, shown: most } };
  };
  try {
    return await stayOnPage(tab, signal, capture);
  } catch (error) {
    if (signal.aborted || !isOfNavigation(error)) throw error;
  }
  return await readWhileStopping(tab, signal, capture).catch((error: unknown) => {
    if (signal.aborted || !isOfNavigation(error)) throw error;
    const reason = "Chromium could take no picture: the page navigates all the time.";
    const next = "Read it instead: devflow browse snapshot -i";
    throw new DevflowError("browse_page_failed", { details: { reason, next }, cause: error });
  });
}

export function leftOutWords({ height }: PagePicture): string | undefined {
  if (!height) return undefined;
  const { shown, whole } = height;
  return `the first ${shown} of ${whole} pixels; for the others: scroll, then screenshot, or a part: screenshot --target @e3`;
}

/** The page was replaced while it was captured, in the words of Chromium and of Playwright. */
const isOfNavigation = (error: unknown): boolean =>
  /Unable to capture screenshot|Execution context was destroyed|Cannot find context|Not attached to an active page|navigat/i.test(
    String(error),
  );

function sizeOf(page: TabScope["tab"]["page"], mostPixels: number) {
  return page.evaluate((most) => {
    const { scrollWidth, scrollHeight } = document.documentElement;
    const whole = Math.max(scrollHeight, document.body?.scrollHeight ?? 0);
    return { width: Math.max(innerWidth, scrollWidth), whole, most: Math.floor(most / devicePixelRatio) };
  }, mostPixels);
}
