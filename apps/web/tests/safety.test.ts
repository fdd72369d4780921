/** What must hold on every screen: readable by everyone, at every width, and inert whatever the data says. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { accessibilityFaults, withChromium } from "./browser.ts";
import { phone, waitUntilLive, wide } from "./chromium.ts";
import { startTestServer, type TestServer } from "./test-server.ts";
import { hostileTexts } from "./xss-corpus.ts";

const openPage = withChromium();
let server: TestServer;
let repoId: string;
beforeAll(async () => {
  server = await startTestServer();
  const repo = await server.rpc("register_repo", { team_id: server.teamId, name: "engine" });
  repoId = (repo as { id: string }).id;
  for (const text of hostileTexts) {
    await server.rpc("register_repo", {
      team_id: server.teamId,
      name: text,
      remote: text,
      default_branch: text,
      path_hint: text,
    });
    await server.rpc("create_team", { name: text });
    await server.recordChange(text);
  }
}, 60_000);
afterAll(() => server.stop());

/** Of the team with the repositories; by its name it is not the first. */
const screens = () =>
  [
    "/",
    "/runs",
    "/evals",
    "/brain",
    "/team",
    "/browse",
    "/settings",
    "/activity",
    `/activity/${server.teamId}/1`,
    `/team/repositories/${repoId}`,
    "/no/such/screen",
  ].map((path) => `${path}?team=demo`);

for (const colorScheme of ["light", "dark"] as const) {
  for (const viewport of [wide, phone]) {
    test(`axe-core finds nothing serious on any screen, ${colorScheme}, ${viewport.width} px, and nothing scrolls sideways`, async () => {
      // Measured at rest: a colour half-way through an animation is nobody's choice.
      const { page, complaints, close } = await openPage({ colorScheme, viewport, reducedMotion: "reduce" });
      await page.goto(server.url);
      await page.getByRole("heading", { name: "Sign in to Devflow" }).waitFor();
      const faults: string[] = (await accessibilityFaults(page)).map((fault) => `sign-in ${fault}`);
      await page.goto(await server.signInUrl());
      await waitUntilLive(page);
      for (const path of screens()) {
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
      for (const key of ["Control+k", "?"]) {
        await page.keyboard.press(key);
        await page.getByRole("dialog").waitFor();
        for (const fault of await accessibilityFaults(page)) faults.push(`dialog ${key} ${fault}`);
        await page.keyboard.press("Escape");
        await page.getByRole("dialog").waitFor({ state: "detached" });
      }
      expect(faults).toEqual([]);
      expect(complaints).toEqual([]);
      await close();
    }, 120_000);
  }
}

test("hostile names of repositories, teams and kinds are shown as the text they are, on every screen that shows them", async () => {
  const { page, complaints, close } = await openPage();
  const asked: string[] = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(`${server.url}/`) && !request.url().startsWith("data:")) asked.push(request.url());
  });
  await page.goto(await server.signInUrl());
  await waitUntilLive(page);
  for (const path of [
    ...screens(),
    `/?team=demo&repo=${encodeURIComponent(hostileTexts[0]!)}`,
    `/activity?team=demo&kind=${encodeURIComponent(hostileTexts[1]!)}`,
  ]) {
    await page.goto(server.url + path);
    await waitUntilLive(page);
    await page.locator('main [aria-label="Loading"]').first().waitFor({ state: "detached" });
    const foreign = await page.evaluate(
      () =>
        document.querySelectorAll(
          "iframe, object, embed, base, main img, main script, main style, [style], [onerror], [onload], [onclick], a[href^='javascript'], a[href^='data']",
        ).length,
    );
    expect({ path, foreign, ran: await page.evaluate(() => "pwned" in window) }).toEqual({
      path,
      foreign: 0,
      ran: false,
    });
  }
  await page.goto(`${server.url}/team?team=demo`);
  await page.getByRole("table", { name: "Repositories" }).waitFor();
  const names = await page.getByRole("table", { name: "Repositories" }).locator("[data-row]").allTextContents();
  expect(names.toSorted()).toEqual(["engine", ...hostileTexts].toSorted());
  const teams = await page.getByRole("combobox", { name: "Team" }).locator("option").allTextContents();
  for (const text of hostileTexts) expect(teams).toContain(text);
  await page.goto(`${server.url}/activity?team=demo`);
  await page.locator("[data-row]").first().waitFor();
  const activity = (await page.getByRole("region", { name: "Changes" }).textContent()) ?? "";
  for (const text of hostileTexts) expect(activity).toContain(text);
  expect(asked).toEqual([]);
  expect(complaints).toEqual([]);
  await close();
}, 120_000);

test("the page runs under a policy that allows no inline script and no inline style", async () => {
  const answer = await fetch(server.url);
  const policy = answer.headers.get("content-security-policy") ?? "";
  expect(policy).toContain("script-src 'self'");
  expect(policy).toContain("style-src 'self'");
  expect(policy).not.toContain("unsafe");
  const html = await answer.text();
  expect(html).not.toMatch(/<style|style=|<script(?![^>]*\ssrc=)|\son\w+=/);
});

test("nothing moves for those who asked for it", async () => {
  const { page, close } = await openPage({ reducedMotion: "reduce" });
  await page.goto(await server.signInUrl());
  await waitUntilLive(page);
  const moving = await page.evaluate(() => document.getAnimations().length);
  expect(moving).toBe(0);
  await close();
});

for (const viewport of [wide, phone]) {
  test(`what has been shown stays where it is while the rest loads, ${viewport.width} px`, async () => {
    const { page, close } = await openPage({ viewport });
    await page.addInitScript(() => {
      const shifts: number[] = [];
      Object.assign(window, { shifts });
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) shifts.push((entry as unknown as { value: number }).value);
      }).observe({ type: "layout-shift", buffered: true });
    });
    await page.goto(await server.signInUrl("/?team=demo"));
    await waitUntilLive(page);
    for (const path of screens()) {
      await page.goto(server.url + path);
      await waitUntilLive(page);
      await page.locator('main [aria-label="Loading"]').first().waitFor({ state: "detached" });
      // A tenth is what counts as good on the web; half of that is our limit.
      const shift = await page.evaluate(() =>
        (window as unknown as { shifts: number[] }).shifts.reduce((sum, one) => sum + one, 0),
      );
      expect({ path, isSteady: shift < 0.05, shift }).toEqual({ path, isSteady: true, shift });
    }
    await close();
  });
}
