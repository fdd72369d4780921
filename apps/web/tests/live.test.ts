/** The page stays current: live changes, a lost connection, a token that is no longer accepted. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { withChromium } from "./browser.ts";
import { launchChromium, waitUntilLive } from "./chromium.ts";
import { startTestServer, type TestServer } from "./test-server.ts";

const openPage = withChromium();
let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
}, 240_000);
afterAll(() => server.stop());

async function signedIn(path = "/") {
  const opened = await openPage();
  await opened.page.goto(await server.signInUrl(path));
  await waitUntilLive(opened.page);
  return opened;
}
const ping = () => server.rpc("ping", { team_id: server.teamId });
const shownSeqs = (page: Page) =>
  page.locator("main [data-seq]").evaluateAll((rows) => rows.map((row) => Number(row.getAttribute("data-seq"))));

test("a change appears without a reload, flashes once, and marks the step and the lists it touches", async () => {
  const { page, complaints, close } = await signedIn();
  await page.getByText("To do: Register a repository").waitFor({ state: "attached" });
  await page.evaluate(() => Object.assign(window, { sameDocument: true }));
  await server.rpc("register_repo", { team_id: server.teamId, name: "engine" });
  await page.getByText("Repository saved engine").waitFor();
  expect(await page.locator("main li.flash").count()).toBe(1);
  await page.getByText("Done: Register a repository").waitFor({ state: "attached" });
  expect(await page.getByLabel("Repository").locator("option").allTextContents()).toEqual([
    "All repositories",
    "engine",
  ]);

  await page.getByRole("link", { name: "Settings" }).click();
  await page.getByRole("heading", { level: 1, name: "Settings" }).waitFor();
  await page.getByRole("link", { name: "Home" }).click();
  await page.getByText("Repository saved engine").waitFor();
  expect(await page.locator("main li.flash").count()).toBe(0);
  expect(await page.evaluate(() => "sameDocument" in window)).toBe(true);
  expect(complaints).toEqual([]);
  await close();
});

test("a lost connection is shown with a word and a time, and afterwards nothing is missing and nothing double", async () => {
  const { page, complaints, close } = await signedIn("/activity");
  for (let count = 0; count < 3; count++) await ping();
  await page.evaluate(() => Object.assign(window, { sameDocument: true }));
  await server.disconnect();
  // Between two tries it says that it tries; what it says before each is waited for.
  const lost = page.locator('header [data-live="lost"]');
  await lost.filter({ hasText: /^\s*Disconnected\s*reconnecting in \d+ s\s*Retry/ }).waitFor();

  for (let count = 0; count < 5; count++) await server.pingBehindTheServer();
  await server.reconnect();
  for (let count = 0; count < 5; count++) await ping();
  await page
    .getByRole("button", { name: /^Retry/ })
    .click({ timeout: 2_000 })
    .catch(() => undefined); // it may have come back by itself
  await waitUntilLive(page);
  const head = await server.head();
  await page.locator(`main [data-seq="${head}"]`).waitFor();
  expect(await shownSeqs(page)).toEqual(Array.from({ length: head }, (_, index) => head - index));
  expect(await page.evaluate(() => "sameDocument" in window)).toBe(true);
  expect(complaints).toEqual([]);
  await close();
});

/** A browser opens six connections to a site; every stream keeps one. */
test("pages that were left do not keep the next one from its data", async () => {
  const browser = await launchChromium({ isWhole: true, keepsPages: true });
  try {
    const page = await browser.newPage();
    await page.goto(await server.signInUrl("/"));
    await waitUntilLive(page);
    for (const path of ["activity", "settings", "team", "runs", "evals", "team/pulse", "team/qa", "team/records"]) {
      await page.goto(`${server.url}/${path}`);
      await waitUntilLive(page);
    }
    // It comes from memory, and is not loaded.
    await page.goBack({ waitUntil: "commit" });
    await waitUntilLive(page);
  } finally {
    await browser.close();
  }
});

test("of the hidden tabs one stays connected, and a tab that is shown again catches up", async () => {
  const { page, close } = await signedIn("/activity");
  const show = (tab: Page, state: "visible" | "hidden") =>
    tab.evaluate((now) => {
      Object.defineProperty(document, "visibilityState", { configurable: true, get: () => now });
      document.dispatchEvent(new Event("visibilitychange"));
    }, state);
  const tabs = [page];
  for (let count = 0; count < 7; count++) {
    await show(tabs.at(-1)!, "hidden");
    // A tab opened by another one has its token.
    const [tab] = await Promise.all([
      page.context().waitForEvent("page"),
      page.evaluate(() => void window.open("/activity")),
    ]);
    await waitUntilLive(tab);
    tabs.push(tab);
  }
  const states = () => Promise.all(tabs.map((tab) => tab.locator("[data-live]").getAttribute("data-live")));
  expect((await states()).filter((state) => state === "live")).toHaveLength(2);
  const hidden = tabs[(await states()).indexOf("closed")]!;
  await ping();
  const newest = hidden.locator(`main [data-seq="${await server.head()}"]`);
  expect(await newest.count()).toBe(0);
  await show(hidden, "visible");
  await newest.waitFor();
  await close();
});

test("it reconnects by itself, as often as the connection is lost", async () => {
  const { page, close } = await signedIn("/activity");
  for (let round = 0; round < 2; round++) {
    await server.disconnect();
    await page.locator('[data-live="lost"]').waitFor();
    await server.reconnect();
    await waitUntilLive(page);
    await ping();
    await page.locator(`main [data-seq="${await server.head()}"]`).waitFor();
  }
  await close();
});

test("with the server gone, each part says so and what to type, and all come back with it", async () => {
  const { page, close } = await signedIn("/settings");
  // The other screens are loaded shortly after the first one stands.
  await page.waitForFunction(() =>
    performance.getEntriesByType("resource").some(({ name }) => name.includes("team-page")),
  );
  await server.disconnect();
  await page.locator('[data-live="lost"]').waitFor();
  await page.getByRole("link", { name: "Team" }).click();
  await page.getByRole("alert").first().waitFor();
  expect(await page.getByRole("alert").first().innerText()).toContain("The Devflow server is not responding.");
  await page.getByRole("button", { name: "Copy devflow up -d" }).first().waitFor();
  await page.getByRole("link", { name: "Home" }).click();
  await page.getByRole("region", { name: "Health" }).getByText("Not responding").waitFor();
  await page.getByRole("link", { name: "Team" }).click();
  await server.reconnect();
  await waitUntilLive(page);
  await page.getByRole("table", { name: "Members" }).waitFor();
  expect(await page.getByRole("alert").count()).toBe(0);
  await close();
});

test("a screen whose code cannot be loaded says so in its place, and loads when the server is back", async () => {
  const { page, close } = await openPage();
  await page.route(/team-page/, (route) => route.abort());
  await page.goto(await server.signInUrl("/settings"));
  await waitUntilLive(page);
  await page.evaluate(() => Object.assign(window, { sameDocument: true }));
  await page.getByRole("link", { name: "Team" }).click();
  await page.getByRole("heading", { name: "This screen failed" }).waitFor();
  expect(await page.getByRole("alert").innerText()).toContain("This screen could not be loaded");
  expect(await page.evaluate(() => "sameDocument" in window)).toBe(true);
  await page.unroute(/team-page/);
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("table", { name: "Members" }).waitFor();
  await close();
});

test("a team that is joined appears without a reload", async () => {
  const { page, close } = await signedIn();
  await server.rpc("create_team", { name: "Difference Engines", slug: "difference" });
  await page.getByRole("region", { name: "Teams" }).getByText("Difference Engines").waitFor();
  await page.getByRole("combobox", { name: "Team" }).selectOption("difference");
  await page.waitForURL(/team=difference/);
  await page.getByText("Team saved Difference Engines").waitFor();
  await close();
});

test("a token that the server no longer accepts leads to the sign-in page, which says why", async () => {
  const { page, close } = await signedIn();
  await server.disconnect();
  await server.reconnect({ forgetTokens: true });
  await page.getByRole("heading", { name: "Sign in to Devflow" }).waitFor();
  await page.getByText("The server no longer accepts this tab's token").waitFor();
  expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
  await close();
});
