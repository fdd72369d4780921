/** A person looks at evals in the browser: thirty runs over ten commits, one regression, one flake, two judges, costs. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { importFile } from "@devflow/evals/interop";
import { samplePath, story, storyRuns } from "@devflow/evals/testing";
import type { Page } from "playwright-core";
import { withChromium } from "./browser.ts";
import { waitUntilLive } from "./chromium.ts";
import { startTestServer, type TestServer } from "./test-server.ts";

const openPage = withChromium();
let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
}, 240_000);
afterAll(() => server.stop());

async function signedIn(path: string) {
  const opened = await openPage();
  await opened.page.goto(await server.signInUrl(path));
  await waitUntilLive(opened.page);
  return opened;
}
const newest = `${story.suite}/${story.runsOf(9)[2]}`;
const runPath = `/evals/runs/${encodeURIComponent(newest)}`;
const casePath = (name: string) => `/evals/cases/${story.suite}/${encodeURIComponent(name)}`;
const search = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams);
const region = (page: Page, name: string) => page.getByRole("region", { name, exact: true });

test("without a single run every screen names the command that fills it", async () => {
  const { page, complaints, close } = await signedIn("/evals");
  for (const [path, title, command] of [
    ["/evals", "No eval runs yet", "devflow eval push results.json"],
    ["/evals/compare", "Nothing to compare yet", "devflow eval push results.json"],
    ["/evals/trends", "No eval runs yet", "devflow eval push results.json"],
    ["/evals/cost", "No runs in this period", "devflow eval push results.json"],
    ["/evals/judges", "No runs judged by a model", "devflow eval check cases.yaml outputs.json --judge"],
    ["/evals/watch", "No eval run in progress", "devflow eval check cases/ outputs/ --workers 4"],
    [`/evals/runs/${encodeURIComponent("no/such")}`, "No such eval run", "devflow eval list"],
    ["/evals/cases/nowhere/nothing", "No such case", "devflow eval list --suite nowhere"],
  ] as const) {
    await page.goto(server.url + path);
    await page.getByText(title).waitFor();
    await page.getByRole("button", { name: `Copy ${command}`, exact: true }).waitFor();
  }
  expect(complaints.filter((text) => !text.includes("404"))).toEqual([]);
  await close();
});

describe("with the story", () => {
  beforeAll(async () => {
    for (const run of storyRuns(Date.now())) await server.evals.push(run);
  }, 60_000);

  test("the list shows how suites stand, filters by the address, and two selected runs are compared by keys alone", async () => {
    const { page, complaints, close } = await signedIn("/evals");
    await page.getByRole("img", { name: /Pass rate over 10 commits: from 99.3 % to 8\d\.\d %/ }).waitFor();
    await page.getByLabel("Tier").selectOption("fast");
    await page.waitForFunction(() => document.querySelectorAll("[data-eval-run]").length === 6);
    expect(search(page)).toEqual({ tier: "fast" });
    await page.getByLabel("Only runs with failures").check();
    await page.getByText("No matching runs").waitFor();
    await page.getByRole("link", { name: "Show all" }).click();
    await page.locator("[data-eval-run]").nth(35).waitFor();

    await page.getByLabel("Suite", { exact: true }).selectOption(story.suite);
    await page.waitForFunction((count) => document.querySelectorAll("[data-eval-run]").length === count, 30);
    await page.locator("main h1").click();
    await page.keyboard.press("j");
    await page.keyboard.press("x");
    for (let at = 0; at < 10; at += 1) await page.keyboard.press("j");
    await page.keyboard.press("x");
    await page.getByText("2 selected").waitFor();
    await page.keyboard.press("c");
    await page.locator("[data-verdict]").waitFor();
    const { a, b } = search(page);
    expect([a, b]).toEqual([`${story.suite}/${story.runsOf(6)[1]}`, newest]);
    await page.goBack();
    await page.locator("main h1", { hasText: "Evals" }).click();
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.waitForURL(server.url + runPath);
    expect(complaints).toEqual([]);
    await close();
  });

  test("a run says where it failed in words, and its results are found by category, status, name and order", async () => {
    const { page, complaints, close } = await signedIn(runPath);
    const matrix = page.getByRole("table", { name: "Pass rate and mean scores by category" });
    const refunds = matrix.getByRole("row", { name: /^refunds/ });
    expect(await refunds.innerText()).toMatch(/20\.0 %\s+few[\s\S]*low/);
    await region(page, "Why it failed").getByText("states a return window of 14 days").waitFor();
    await refunds.getByRole("link", { name: "refunds" }).click();
    await page.locator("[data-result]").nth(9).waitFor();
    await page.waitForFunction(() => document.querySelectorAll("[data-result]").length === 10);
    await page.getByLabel("Status").selectOption("fail");
    await page.getByRole("button", { name: "Score" }).click();
    await page.waitForFunction(() => document.querySelectorAll("[data-result]").length === 8);
    expect(search(page)).toEqual({ category: "refunds", status: "fail", sort: "score" });
    await page.reload();
    await page.locator("[data-result]").nth(7).waitFor();
    await page.getByLabel("Name").fill("20 DAYS");
    await page.waitForFunction(() => document.querySelectorAll("[data-result]").length === 1);
    await page.getByRole("link", { name: story.brokenCase }).last().click();
    await page.getByRole("heading", { level: 1, name: story.brokenCase }).waitFor();
    expect(search(page).b).toContain(newest);
    expect(complaints).toEqual([]);
    await close();
  });

  test("a case shows its history commit by commit, and two results side by side with what changed", async () => {
    const { page, complaints, close } = await signedIn(casePath(story.brokenCase));
    const [a, b] = [region(page, "Side A"), region(page, "Side B")];
    await a.locator("del", { hasText: "30" }).waitFor();
    await b.locator("ins", { hasText: "14" }).waitFor();
    await b.getByText("accuracy: States a shorter return window than the policy.").first().waitFor();
    expect(await page.getByRole("group", { name: "Commits" }).getByRole("listitem").count()).toBe(10);
    const rows = page.getByRole("table", { name: "Results of this case, newest first" }).getByRole("row");
    await rows.last().getByRole("button", { name: "Show as A" }).click();
    await a.getByText(story.runsOf(0)[0]!).waitFor();
    await page.reload();
    await a.getByText(story.runsOf(0)[0]!).waitFor();
    await page.getByRole("button", { name: "Hide changes" }).click();
    expect(await page.locator("del, ins").count()).toBe(0);
    await page.goto(server.url + casePath(story.flakyCase));
    await page.getByText("Flaky", { exact: true }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test("compare finds the regression and proves only refund cases; the other commits are no regression", async () => {
    const sides = `suite=${story.suite}&tier=standard&a=commit:${story.lastGood}&b=commit:${story.brokenBy}`;
    const { page, complaints, close } = await signedIn(`/evals/compare?${sides}`);
    await page.locator('[data-verdict="regression"]').waitFor();
    await page.getByRole("row", { name: /^Pass rate.*Regression/ }).waitFor();
    const broke = region(page, "Broke").getByRole("listitem");
    const proven = await broke.filter({ has: page.getByText("Proven", { exact: true }) }).allInnerTexts();
    expect(proven.length).toBeGreaterThan(2);
    expect(proven.filter((text) => !text.startsWith("refunds "))).toEqual([]);
    const own = page.locator(`[data-case="${story.brokenCase}"]`);
    await own.getByText("Both outputs").click();
    await own.getByText("within 30 days").waitFor();
    await own.getByText("within 14 days").waitFor();

    await page.getByLabel("B, after").selectOption(`commit:${story.commits[5]}`);
    await page.locator('[data-verdict]:not([data-verdict="regression"])').waitFor();
    expect(search(page).b).toBe(`commit:${story.commits[5]}`);
    expect(complaints).toEqual([]);
    await close();
  });

  test("trends drop at the commit, the flaky case leads its list, and a commit opens its comparison", async () => {
    const { page, complaints, close } = await signedIn("/evals/trends");
    await page.getByRole("img", { name: /^Pass rate of support-answers over 10 commits/ }).waitFor();
    await page.locator("[data-flaky]").first().waitFor();
    expect(await page.locator("[data-flaky]").first().getAttribute("data-flaky")).toBe(story.flakyCase);
    const commit = page.getByRole("row", { name: new RegExp(story.brokenBy.slice(0, 8)) });
    await commit.getByRole("link", { name: "with previous" }).click();
    await page.locator('[data-verdict="regression"]').waitFor();
    expect(search(page)).toMatchObject({ a: `commit:${story.lastGood}`, b: `commit:${story.brokenBy}` });
    expect(complaints).toEqual([]);
    await close();
  });

  test("cost tells what is billed, what is estimated and what has no price; judges tell how far they agree", async () => {
    const { page, complaints, close } = await signedIn("/evals/cost");
    await page.getByText("72 calls without a known price, not included").waitFor();
    await page.getByText("No price for house-model-1.").waitFor();
    const models = region(page, "By model").getByRole("listitem");
    expect(await models.last().innerText()).toContain("not priced");
    await page.getByLabel("Period").selectOption("7");
    await page.getByText(/^(?:2\d|30) runs, /).waitFor();
    expect(search(page)).toEqual({ days: "7" });
    await page.getByRole("navigation", { name: "Evals" }).getByRole("link", { name: "Judges" }).click();
    await page.getByRole("row", { name: /accuracy between judges.*reliable/ }).waitFor();
    await page.getByRole("row", { name: /tone between judges.*too low to gate/ }).waitFor();
    await page.getByRole("img", { name: /^Mean tone over 30 runs/ }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test("the palette leads to every eval screen", async () => {
    const { page, complaints, close } = await signedIn("/");
    for (const [words, title] of [
      ["compare evals", "Compare"],
      ["eval trends", "Trends"],
      ["eval cost", "Cost"],
      ["eval judges", "Judges"],
      ["watch an eval", "Watch"],
    ] as const) {
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: "Search screens and commands" }).fill(words);
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { level: 1, name: title }).waitFor();
    }
    expect(complaints).toEqual([]);
    await close();
  });

  test("a server that fails is said so, and trying again helps", async () => {
    const { page, close } = await signedIn("/evals/cost");
    await page.getByText("72 calls without a known price").waitFor();
    await page.route("**/api/evals/judges**", (route) => route.fulfill({ status: 500, body: "{}" }));
    await page.getByRole("navigation", { name: "Evals" }).getByRole("link", { name: "Judges" }).click();
    await page.getByRole("alert").getByText("Failed.").waitFor();
    await page.unroute("**/api/evals/judges**");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("Who judged").waitFor();
    await close();
  });
});

test("a matrix of prompts: outputs side by side, search in outputs, a person's verdict, a download", async () => {
  for await (const run of importFile(samplePath("promptfoo-matrix.csv"))) await server.evals.push(run);
  const [line] = server.evals.list({ suite: "promptfoo-matrix" }).runs;
  const { page, complaints, close } = await signedIn(
    `/evals/runs/${encodeURIComponent(`promptfoo-matrix/${line?.runId}`)}`,
  );
  const matrix = region(page, "Cases by model and prompt");
  await matrix.getByText("Hello, how may I help you today?").waitFor();
  expect(await matrix.getByRole("columnheader").count()).toBe(3);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByLabel("Download").selectOption("csv"),
  ]);
  expect(download.suggestedFilename()).toEndWith(".csv");
  await page.getByPlaceholder("Words in the output or problem").fill("hello");
  await page.getByPlaceholder("Words in the output or problem").press("Enter");
  await page.waitForFunction(() => document.querySelectorAll("[data-result]").length === 1);
  expect(search(page)).toEqual({ text: "hello" });
  await page.locator("[data-result] [data-row]").click();
  await page.getByLabel("Comment").fill("Friendly enough");
  await page.getByRole("button", { name: "Good answer" }).click();
  await region(page, "Your verdict").getByText("Friendly enough").waitFor();
  expect(complaints).toEqual([]);
  await close();
});
