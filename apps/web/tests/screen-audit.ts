/**
 * What must hold on every screen: readable by everyone in light and dark, wide and on a phone, still while it loads, no
 * wider than the window, and inert whatever the data says.
 *
 * - `auditScreens(opened, server, paths)` signs in, visits each, and names every fault with its screen.
 * - `readabilityFaults(page)` of whatever is on the page now.
 */
import type { Page } from "playwright-core";
import { accessibilityFaults, type TestPage } from "./browser.ts";
import { phone, waitUntilLive, wide } from "./chromium.ts";
import type { TestServer } from "./test-server.ts";

/** `mayFail`: some of them are there to show an error. */
export async function auditScreens(
  { page }: TestPage,
  server: TestServer,
  paths: readonly string[],
  { mayFail = false } = {},
): Promise<string[]> {
  const faults: string[] = [];
  page.on("request", (request) => {
    const isOwn = request.url().startsWith(`${server.url}/`) || request.url().startsWith("data:");
    if (!isOwn) faults.push(`something asks for ${request.url()}`);
  });
  await page.addInitScript(() => {
    const shifts: number[] = [];
    Object.assign(window, { shifts });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) shifts.push((entry as unknown as { value: number }).value);
    }).observe({ type: "layout-shift", buffered: true });
  });
  await page.goto(await server.signInUrl());
  await waitUntilLive(page);
  for (const path of paths) {
    const add = (where: string, found: readonly string[]) =>
      faults.push(...found.map((fault) => `${path} ${where} ${fault}`));
    await page.setViewportSize(phone);
    await load(page, server.url + path);
    add("on a phone", await otherFaults(page, mayFail));
    await page.setViewportSize(wide);
    await load(page, server.url + path);
    add("wide", [...(await otherFaults(page, mayFail)), ...(await readabilityFaults(page))]);
    // The same document, so that axe-core is loaded and warm; how a phone loads it was seen above.
    await page.setViewportSize(phone);
    add("on a phone", await readabilityFaults(page));
  }
  return faults;
}

/** Until everything that it shows is there. */
async function load(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await waitUntilLive(page);
  await page.locator("main h1").waitFor();
  await page.locator('main [aria-label="Loading"]').first().waitFor({ state: "detached" });
}

export async function readabilityFaults(page: Page): Promise<string[]> {
  const faults = await accessibilityFaults(page);
  await page.emulateMedia({ colorScheme: "dark" });
  faults.push(...(await accessibilityFaults(page, ["color-contrast"])).map((fault) => `in the dark ${fault}`));
  await page.emulateMedia({ colorScheme: "light" });
  return faults;
}

/** What moved, what scrolls, what somebody else's text has become. */
async function otherFaults(page: Page, mayFail: boolean): Promise<string[]> {
  const seen = await page.evaluate(() => ({
    shift: (window as unknown as { shifts: number[] }).shifts.reduce((sum, one) => sum + one, 0),
    sideways: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    foreign: document.querySelectorAll(
      "iframe, object, embed, base, main img, main script, main style, [style], [onerror], [onload], [onclick], a[href^='javascript'], a[href^='data']",
    ).length,
    hasRun: "pwned" in window,
    failed: document.querySelectorAll("main [role=alert]").length,
  }));
  return [
    // A tenth is what counts as good on the web; half of that is our limit.
    ...(seen.shift >= 0.05 ? [`moves by ${seen.shift}`] : []),
    ...(seen.sideways > 0 ? [`scrolls sideways by ${seen.sideways} px`] : []),
    ...(seen.foreign > 0 ? [`has ${seen.foreign} elements of somebody else`] : []),
    ...(seen.hasRun ? ["ran somebody else's script"] : []),
    ...(seen.failed > 0 && !mayFail ? ["failed"] : []),
  ];
}
