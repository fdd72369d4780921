/** The eval screens: readable by everyone, at every width, steady while they load, and inert whatever the results say. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { madeResult, madeRun, story, storyRuns } from "@devflow/evals/testing";
import { withChromium } from "./browser.ts";
import { auditScreens } from "./screen-audit.ts";
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
}, 240_000);
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

for (const [which, paths] of [
  ["of the story", screens],
  ["of hostile results", hostile],
] as const) {
  test(`the eval screens ${which} are readable in light and dark, wide and on a phone, stand still, fit, and run nothing of anybody's`, async () => {
    // Measured at rest: a colour half-way through an animation is nobody's choice.
    const opened = await openPage({ colorScheme: "light", reducedMotion: "reduce" });
    expect(await auditScreens(opened, server, paths)).toEqual([]);
    expect(opened.complaints).toEqual([]);
    await opened.close();
  }, 300_000);
}

test("whatever a case is called is shown as it is called", async () => {
  const { page, complaints, close } = await openPage();
  await page.goto(await server.signInUrl(`/evals/runs/${part(`${hostileSuite}/${hostileTexts[0]}`)}`));
  await page.locator("[data-result]").first().waitFor();
  const names = await page.locator("[data-result] [data-row]").allTextContents();
  expect(names.toSorted()).toEqual(hostileTexts.toSorted());
  expect(complaints).toEqual([]);
  await close();
});
