/** What must hold on every screen: readable by everyone, at every width, and inert whatever the data says. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { withChromium } from "./browser.ts";
import { phone, waitUntilLive, wide } from "./chromium.ts";
import { startHostileRun } from "./hostile-run.ts";
import { auditScreens, readabilityFaults } from "./screen-audit.ts";
import { startTestServer, type TestServer } from "./test-server.ts";
import { hostileTexts } from "./xss-corpus.ts";

const openPage = withChromium();
let server: TestServer;
let repoId: string;
let runId: string;
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
  runId = await startHostileRun(server);
}, 240_000);
afterAll(() => server.stop());

/** By groups, so that a slow machine fails no limit; of the team with the repositories, which by its name is not the first. */
const screens = {
  "of runs": () => [
    "/runs",
    "/runs?state=ended&q=nothing",
    "/runs/new",
    "/approvals",
    "/sessions",
    "/fleet",
    "/templates",
    "/templates/development@1",
    "/personas",
    "/personas/fake-coder@1",
  ],
  "of one run": () =>
    ["", "transcript", "artifacts", "diff", "findings", "events", "commands", "report"].map(
      (tab) => `/runs/${runId}?tab=${tab}`,
    ),
  "of the other systems": () => [
    "/",
    "/evals",
    "/brain",
    "/brain/decisions",
    `/brain/decisions?q=${encodeURIComponent(hostileTexts[0]!)}`,
    "/brain/intents",
    "/brain/handoffs",
    "/brain/files",
    `/brain/files?file=${encodeURIComponent(hostileTexts[1]!)}&in=x`,
    "/team",
    "/browse",
    "/settings",
    "/activity",
    `/activity/${server.teamId}/1`,
    `/team/repositories/${repoId}`,
    `/?repo=${encodeURIComponent(hostileTexts[0]!)}`,
    `/activity?kind=${encodeURIComponent(hostileTexts[1]!)}`,
    "/no/such/screen",
  ],
} as const;
const ofDemo = (path: string) => `${path}${path.includes("?") ? "&" : "?"}team=demo`;

for (const [which, paths] of Object.entries(screens)) {
  test(`the screens ${which} are readable in light and dark, wide and on a phone, stand still, fit, and run nothing of anybody's`, async () => {
    // Measured at rest: a colour half-way through an animation is nobody's choice.
    const opened = await openPage({ colorScheme: "light", reducedMotion: "reduce" });
    expect(await auditScreens(opened, server, paths().map(ofDemo), { mayFail: true })).toEqual([]);
    expect(opened.complaints).toEqual([]);
    await opened.close();
  }, 300_000);
}

for (const viewport of [wide, phone]) {
  test(`signing in and the dialogs at ${viewport.width} px are readable in light and dark`, async () => {
    const { page, complaints, close } = await openPage({ colorScheme: "light", viewport, reducedMotion: "reduce" });
    await page.goto(server.url);
    await page.getByRole("heading", { name: "Sign in to Devflow" }).waitFor();
    const faults = await readabilityFaults(page);
    await page.goto(await server.signInUrl());
    await waitUntilLive(page);
    for (const key of ["Control+k", "?"]) {
      await page.keyboard.press(key);
      await page.getByRole("dialog").waitFor();
      for (const fault of await readabilityFaults(page)) faults.push(`dialog ${key} ${fault}`);
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
    }
    expect(faults).toEqual([]);
    expect(complaints).toEqual([]);
    await close();
  });
}

test("the audit itself names an unlabelled button, and text that is too faint in the light or in the dark", async () => {
  const { page, close } = await openPage({ colorScheme: "light" });
  await page.setContent(`<html lang="en"><title>Faults</title>
    <style>
      body { background: white; color: black }
      #light { color: #ccc }
      @media (prefers-color-scheme: dark) { body { background: black; color: white } #dark { color: #333 } }
    </style>
    <main><h1>Faults</h1><button></button><p id="light">faint by day</p><p id="dark">faint by night</p></main>`);
  const found = (await readabilityFaults(page)).map((fault) => /^(.*?: \S+)/.exec(fault)?.[1]);
  expect(found).toEqual(["button-name: button", "color-contrast: #light", "in the dark color-contrast: #dark"]);
  await close();
});

test("hostile names of repositories, teams and kinds are shown as the text they are", async () => {
  const { page, complaints, close } = await openPage();
  await page.goto(await server.signInUrl("/team?team=demo"));
  await waitUntilLive(page);
  await page.getByRole("table", { name: "Repositories" }).waitFor();
  const names = await page.getByRole("table", { name: "Repositories" }).locator("[data-row]").allTextContents();
  expect(names.toSorted()).toEqual(["engine", ...hostileTexts].toSorted());
  const teams = await page.getByRole("combobox", { name: "Team" }).locator("option").allTextContents();
  for (const text of hostileTexts) expect(teams).toContain(text);
  await page.goto(`${server.url}/activity?team=demo`);
  await page.locator("[data-row]").first().waitFor();
  const activity = (await page.getByRole("region", { name: "Changes" }).textContent()) ?? "";
  for (const text of hostileTexts) expect(activity).toContain(text);
  expect(complaints).toEqual([]);
  await close();
});

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
