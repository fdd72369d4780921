/** A person looks at a year of their team: five people, three repositories. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { randomUUID } from "node:crypto";
import { uuidv5 } from "@devflow/core/ids";
import { people, yearOfRecords } from "@devflow/team/testing";
import type { Page } from "playwright-core";
import { withChromium } from "./browser.ts";
import { waitUntilLive } from "./chromium.ts";
import { auditScreens } from "./screen-audit.ts";
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
const search = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams);
const figure = (page: Page, name: string) => page.getByRole("link", { name: new RegExp(`^${name}`) });

test("without a record every screen names the command that fills it", async () => {
  const { page, complaints, close } = await signedIn("/team/pulse");
  for (const [path, title, command] of [
    ["/team/pulse", "Nothing happened in this period", "devflow ship log"],
    ["/team/velocity", "Nothing was shipped in this period", "devflow ship log"],
    ["/team/evals", "No eval runs in this period", "devflow eval push results.json"],
    ["/team/cost", "No cost in this period", "devflow eval push results.json"],
    ["/team/qa", "No QA reports in this period", "devflow qa report"],
    ["/team/agents", "No transcripts were shared in this period", "devflow config set sync_transcripts true"],
    ["/team/reviews", "No review findings were judged in this period", "devflow sync push-triage triage.json"],
    ["/team/records", "No such records", "devflow sync status"],
  ] as const) {
    await page.goto(server.url + path);
    await page.getByText(title).waitFor();
    await page.getByRole("button", { name: `Copy ${command}`, exact: true }).waitFor();
  }
  await page.goto(`${server.url}/team/records/${randomUUID()}`);
  await page.getByText("there is no such record, or it was erased").waitFor();
  expect(complaints.filter((text) => !text.includes("404"))).toEqual([]);
  await close();
});

describe("with a year of records", () => {
  let users: string[] = [];
  beforeAll(async () => {
    users = await addPeople(server);
    const records = yearOfRecords({ nowMs: Date.now() });
    for (const [person, user] of users.entries()) {
      const own = records.filter((one) => one.person === person).map(({ person: _person, ...record }) => record);
      for (let at = 0; at < own.length; at += 500) await push(server, user, own.slice(at, at + 500));
    }
  }, 120_000);

  test("every number leads to as many records as it says", async () => {
    const { page, complaints, close } = await signedIn("/team/pulse?days=30");
    const ships = figure(page, "Ships");
    await ships.waitFor();
    const amount = Number(/Ships\s*(\d+)/.exec((await ships.textContent()) ?? "")?.[1]);
    expect(amount).toBeGreaterThan(10);
    await ships.click();
    await page.waitForURL(/\/team\/records/);
    expect(search(page)).toMatchObject({ kind: "ship_log" });
    const rows = page.locator("main li a[data-row]");
    await rows.first().waitFor();
    while (await page.getByRole("button", { name: "Show older" }).isVisible()) {
      const before = await rows.count();
      await page.getByRole("button", { name: "Show older" }).click();
      await page.waitForFunction((count) => document.querySelectorAll("main li a[data-row]").length > count, before);
    }
    expect(await rows.count()).toBe(amount);
    await rows.first().click();
    await page.getByRole("heading", { name: "Ship" }).waitFor();
    await page.getByText('"version"').waitFor();
    expect(complaints).toEqual([]);
    await takePictures(page);
    await close();
  });

  test("the repository in the address narrows every screen", async () => {
    const { page, close } = await signedIn("/team/velocity");
    const ships = figure(page, "Ships");
    await ships.waitFor();
    const all = await ships.textContent();
    await page.getByRole("banner").getByLabel("Repository").selectOption("mobile");
    await page.waitForFunction((text) => document.querySelector("main a[data-row]")?.textContent !== text, all);
    expect(search(page)).toMatchObject({ repo: "mobile" });
    await page.getByRole("navigation", { name: "Team" }).getByRole("link", { name: "QA" }).click();
    await page.getByRole("link", { name: "https://m.acme.example" }).waitFor();
    expect(search(page)).toMatchObject({ repo: "mobile" });
    expect(await page.getByRole("link", { name: "https://shop.acme.example" }).count()).toBe(0);
    await close();
  });

  test("what a teammate pushes shows on an open screen by itself", async () => {
    const { page, close } = await signedIn("/team/records?kind=ship_log");
    await page.locator("main li a[data-row]").first().waitFor();
    await page.evaluate(() => Object.assign(window, { sameDocument: true }));
    const record = (version: string) => ({
      ...{ id: randomUUID(), kind: "ship_log", schema_version: 1, at: new Date().toISOString() },
      ...{ repo: "github.com/acme/shop", payload: { version, branch: "main" } },
    });
    await push(server, users[1]!, [record("77.1.0")]);
    await page.getByRole("link", { name: "77.1.0 from main" }).waitFor();
    await page.getByRole("navigation", { name: "Team" }).getByRole("link", { name: "Velocity" }).click();
    const ships = figure(page, "Ships");
    await ships.waitFor();
    const before = Number(/Ships\s*(\d+)/.exec((await ships.textContent()) ?? "")?.[1]);
    await push(server, users[1]!, [record("77.2.0")]);
    await ships.filter({ hasText: new RegExp(`Ships\\s*${before + 1}(?!\\d)`) }).waitFor({ timeout: 10_000 });
    expect(await page.evaluate(() => "sameDocument" in window)).toBe(true);
    await close();
  });

  test("numbers stay on the screen while the server does not answer", async () => {
    const { page, close } = await signedIn("/team/pulse?days=30");
    const ships = figure(page, "Ships");
    await ships.waitFor();
    await page.route("**/rest/v1/rpc/team_overview", (route) => route.abort());
    const failed = page.waitForEvent("requestfailed", (request) => request.url().endsWith("/team_overview"));
    const at = new Date().toISOString();
    const payload = { version: "78.0.0", branch: "main" };
    await push(server, users[1]!, [
      { id: randomUUID(), kind: "ship_log", schema_version: 1, at, repo: "github.com/acme/shop", payload },
    ]);
    await failed;
    // Longer than it tries again.
    await page.waitForTimeout(5_000);
    expect([await ships.isVisible(), await page.getByRole("alert").count()]).toEqual([true, 0]);
    await close();
  });

  test("a gate of a teammate's run is decided on its page, which says what became of it", async () => {
    const shown = { run_id: randomUUID(), request_id: randomUUID(), epoch: 2, diff_hash: "abc" };
    const record = (kind: string, payload: object, id: string = randomUUID()) => ({
      ...{ id, kind, schema_version: 1, at: new Date().toISOString(), repo: "github.com/acme/shop", payload },
    });
    const gate = record("approval_request", { ...shown, rev: 1, gate: "plan_approved", title: "T", state: "pending" });
    await push(server, users[1]!, [gate]);
    const { page, close } = await signedIn(`/team/records/${gate.id}`);
    await page.getByLabel("Comment").fill("Looks right");
    await page.getByRole("button", { name: "Approve" }).click();
    await page.getByText("Your verdict was sent.").waitFor();
    const [verdict] = (await server.rpc("activity", { team_id: server.teamId, kinds: ["verdict"] })) as {
      id: string;
    }[];
    const stored = (await server.rpc("record", { team_id: server.teamId, id: verdict?.id })) as { payload: object };
    expect(stored.payload).toEqual({ ...shown, action: "approve", comment: "Looks right" });
    const answer = { verdict_id: verdict?.id, request_id: shown.request_id, outcome: "stale" };
    await push(server, users[1]!, [record("verdict_answer", answer, uuidv5(verdict?.id ?? "", "answer"))]);
    await page.getByText("It came too late").waitFor();
    await close();
  });

  test("what the AI struggles with: the mails are not short enough", async () => {
    const { page, close } = await signedIn("/team/evals");
    const weak = page.getByRole("region", { name: "Weakest criteria" }).getByRole("listitem").first();
    await weak.waitFor();
    expect(await weak.textContent()).toMatch(/^brevitysupport-mail0\.4\d/);
    const worst = page.getByRole("region", { name: "Weakest cases" }).getByRole("link").first();
    expect(await worst.textContent()).toContain("case 1");
    await worst.click();
    await page.getByText(/case .* case 1 failed/).waitFor();
    await page.locator("main li a[data-row]").first().click();
    await page.getByRole("heading", { name: "Eval run" }).waitFor();
    await page.getByRole("region", { name: "Results" }).getByText("Fail").first().waitFor();
    await close();
  });

  test("how agents are used: who shares transcripts, the tools, and the records behind the sessions", async () => {
    const { page, close } = await signedIn("/team/agents?days=30");
    const rows = page.getByRole("region", { name: "People" }).locator("tbody tr");
    await rows.first().waitFor();
    // The fifth person shares none.
    expect((await rows.locator("td:first-child").allInnerTexts()).sort()).toEqual([...people.slice(0, 4)].sort());
    expect(await page.getByRole("region", { name: "Tools" }).getByText("Edit", { exact: true }).count()).toBe(1);
    await figure(page, "Sessions").click();
    await page.waitForURL(/kind=transcript/);
    await page.locator("main li a[data-row]").first().waitFor();
    await close();
  });

  test("a person is named on the leaderboard after they joined it, and not before", async () => {
    const { page, close } = await signedIn("/team/settings");
    const board = page.getByRole("region", { name: "Leaderboard", exact: true });
    await board.getByText("Nobody has joined").waitFor();
    expect(await board.getByText("Ada Lovelace").count()).toBe(0);
    await page.getByRole("button", { name: "Join the leaderboard" }).click();
    await board.getByText("Ada Lovelace").waitFor();
    await page.getByRole("button", { name: "Leave the leaderboard" }).click();
    await board.getByText("Nobody has joined").waitFor();
    await close();
  });

  test("every screen is readable in light and dark, wide and on a phone, and still while it loads", async () => {
    const [row] = (await server.rpc("activity", { team_id: server.teamId, kinds: ["eval_run"] })) as { id: string }[];
    const screens = [
      "pulse?days=30",
      "velocity",
      "evals",
      "cost",
      "qa",
      "reviews",
      "agents",
      "records",
      `records/${row?.id}`,
      "settings",
    ];
    const opened = await openPage();
    expect(
      await auditScreens(
        opened,
        server,
        screens.map((one) => `/team/${one}`),
      ),
    ).toEqual([]);
    await opened.close();
  }, 240_000);
});

/** For a person to look at, when DEVFLOW_TEST_SCREENSHOTS names a folder. */
async function takePictures(page: Page): Promise<void> {
  const folder = process.env.DEVFLOW_TEST_SCREENSHOTS;
  if (!folder) return;
  for (const name of ["pulse?days=30", "velocity", "evals", "cost", "qa", "reviews", "agents", "records", "settings"]) {
    for (const [look, width, colorScheme] of [
      ["light", 1280, "light"],
      ["dark", 1280, "dark"],
      ["phone", 390, "light"],
    ] as const) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.goto(`${server.url}/team/${name}`);
      await page.locator("main a[data-row]").first().waitFor();
      await page.screenshot({ path: `${folder}/${name.replace(/\?.*/, "")}-${look}.png`, fullPage: true });
    }
  }
}

/** Everybody but the first, who is the person of this server, joins by an invite. */
async function addPeople({ database, teamId, rpc }: TestServer): Promise<string[]> {
  const me = (await rpc("whoami", {})) as { id: string };
  const users = [me.id];
  for (const name of people.slice(1)) {
    const { token } = (await rpc("create_invite", { team_id: teamId })) as { token: string };
    const sub = randomUUID();
    await database.withClaims({ sub, role: "authenticated", name }, (tx) => tx`select api.accept_invite(${token})`);
    users.push(sub);
  }
  return users;
}

async function push({ database, teamId }: TestServer, user: string, records: readonly object[]): Promise<void> {
  await database.withClaims({ sub: user, role: "authenticated" }, async (tx) => {
    const answers = await tx<{ status: string }[]>`
      select status from api.push_records(${teamId}, ${tx.json(records as never)}, ${new Date().toISOString()}::timestamptz)`;
    expect(answers.filter(({ status }) => status !== "stored")).toEqual([]);
  });
}
