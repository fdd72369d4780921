/** The eval screens: readable by everyone, at every width, steady while they load, and inert whatever the results say. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { story, storyRuns } from "@devflow/evals/fixtures/story";
import { madeResult, madeRun } from "@devflow/evals/testing";
import { accessibilityFaults, withChromium } from "./browser.ts";
import { phone, waitUntilLive, wide } from "./chromium.ts";
import { startTestServer, type TestServer } from "./test-server.ts";
import { hostileTexts } from "./xss-corpus.ts";

const openPage = withChromium();
const hostileSuite = hostileTexts[1]!;
let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
  for (const run of storyRuns(Date.now())) await server.evals.push(run);
  for (const [at, text] of hostileTexts.entries()) {
    const { run } = madeRun(
      {
        ...{
          runId: text,
          suite: hostileSuite,
          label: text,
          gitBranch: text,
          gitSha: `${at}${text}`,
          model: text,
          host: text,
        },
        at: new Date(Date.now() - 86_400_000 - at * 60_000).toISOString(),
        judges: [{ model: text, rubricSha: text, threshold: 0.5 }],
      },
      [],
    );
    const results = hostileTexts.map((name, no) => hostileResult(name, no, text));
    await server.evals.push({ run, results, losses: [text], warnings: [text] });
  }
}, 120_000);
afterAll(() => server.stop());

function hostileResult(name: string, no: number, text: string) {
  const votes = [text, "other"].map((model) => ({
    model,
    profile: text,
    scores: { [text]: 0.5 },
    reasons: { [text]: text },
  }));
  return madeResult({
    ...{ name, category: text, tags: [text], status: no % 3 === 0 ? "fail" : "pass", inputSha: name },
    ...{ input: text, output: { response: `${text} ${no}`, [text]: text }, durationMs: 5 },
    scores: { [text]: 0.5, fine: 0.5 },
    failures: [
      {
        ...{
          type: "deterministic",
          expectationType: text,
          message: text,
          criterion: text,
          expected: text,
          actual: text,
        },
        ...{ details: text, scores: null },
      },
    ],
    usage: [
      {
        ...{ model: text, calls: 1, inputTokens: 10, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 },
        costUsd: 0.01,
      },
    ],
    extra: { judge_votes: votes, judge_thresholds: { [text]: 0.5 } },
  });
}

const part = encodeURIComponent;
const screens = [
  "/evals",
  `/evals/runs/${part(`${story.suite}/${story.runsOf(9)[2]}`)}`,
  `/evals/cases/${story.suite}/${part(story.brokenCase)}`,
  `/evals/compare?suite=${story.suite}&tier=standard&a=commit:${story.lastGood}&b=commit:${story.brokenBy}`,
  "/evals/trends",
  "/evals/cost",
  "/evals/judges",
  "/evals/watch",
];
const hostile = [
  "/evals",
  `/evals?suite=${part(hostileSuite)}`,
  ...hostileTexts.slice(0, 3).map((text) => `/evals/runs/${part(`${hostileSuite}/${text}`)}`),
  ...hostileTexts.slice(0, 3).map((text) => `/evals/cases/${part(hostileSuite)}/${part(text)}`),
  `/evals/compare?suite=${part(hostileSuite)}&tier=standard`,
  `/evals/trends?suite=${part(hostileSuite)}&tier=standard`,
  `/evals/cost?suite=${part(hostileSuite)}&tier=standard`,
  `/evals/judges?suite=${part(hostileSuite)}&tier=standard`,
  `/evals/watch?suite=${part(hostileSuite)}`,
];

for (const colorScheme of ["light", "dark"] as const) {
  for (const viewport of [wide, phone]) {
    test(`axe-core finds nothing serious, ${colorScheme}, ${viewport.width} px, and nothing scrolls sideways`, async () => {
      const { page, complaints, close } = await openPage({ colorScheme, viewport, reducedMotion: "reduce" });
      page.setDefaultTimeout(30_000);
      await page.goto(await server.signInUrl());
      await waitUntilLive(page);
      const faults: string[] = [];
      for (const path of [...screens, ...(viewport === phone && colorScheme === "light" ? hostile : [])]) {
        await page.goto(server.url + path);
        await waitUntilLive(page);
        await page.locator("main h1").waitFor();
        await page.locator('main [aria-label="Loading"]').first().waitFor({ state: "detached" });
        for (const fault of await accessibilityFaults(page)) faults.push(`${path} ${fault}`);
        const sideways = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
        if (sideways > 0) faults.push(`${path} scrolls sideways by ${sideways} px`);
      }
      expect(faults).toEqual([]);
      expect(complaints).toEqual([]);
      await close();
    }, 180_000);
  }
}

test("what a result, a run, a judge or a model is called is text on every eval screen", async () => {
  const { page, complaints, close } = await openPage();
  page.setDefaultTimeout(30_000);
  const asked: string[] = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(`${server.url}/`) && !request.url().startsWith("data:")) asked.push(request.url());
  });
  await page.goto(await server.signInUrl());
  await waitUntilLive(page);
  for (const path of hostile) {
    await page.goto(server.url + path);
    await waitUntilLive(page);
    await page.locator("main h1").waitFor();
    await page.locator('main [aria-label="Loading"]').first().waitFor({ state: "detached" });
    const seen = await page.evaluate(() => ({
      foreign: document.querySelectorAll(
        "iframe, object, embed, base, main img, main script, main style, [style], [onerror], [onload], [onclick], a[href^='javascript'], a[href^='data']",
      ).length,
      ran: "pwned" in window,
      failed: document.querySelectorAll("main [role=alert]").length,
    }));
    expect({ path, ...seen }).toEqual({ path, foreign: 0, ran: false, failed: 0 });
  }
  await page.goto(`${server.url}/evals/runs/${part(`${hostileSuite}/${hostileTexts[0]}`)}`);
  await page.locator("[data-result]").first().waitFor();
  const names = await page.locator("[data-result] [data-row]").allTextContents();
  expect(names.toSorted()).toEqual(hostileTexts.toSorted());
  expect(asked).toEqual([]);
  expect(complaints).toEqual([]);
  await close();
}, 180_000);

for (const viewport of [wide, phone]) {
  test(`what has been shown stays where it is while the rest loads, ${viewport.width} px`, async () => {
    const { page, close } = await openPage({ viewport });
    page.setDefaultTimeout(30_000);
    await page.addInitScript(() => {
      const shifts: number[] = [];
      Object.assign(window, { shifts });
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) shifts.push((entry as unknown as { value: number }).value);
      }).observe({ type: "layout-shift", buffered: true });
    });
    await page.goto(await server.signInUrl());
    await waitUntilLive(page);
    for (const path of screens) {
      await page.goto(server.url + path);
      await waitUntilLive(page);
      await page.locator('main [aria-label="Loading"]').first().waitFor({ state: "detached" });
      const shift = await page.evaluate(() =>
        (window as unknown as { shifts: number[] }).shifts.reduce((sum, one) => sum + one, 0),
      );
      expect({ path, isSteady: shift < 0.05, shift }).toEqual({ path, isSteady: true, shift });
    }
    await close();
  }, 120_000);
}
