/** A person walks through the app: every screen, with the mouse and with the keys alone. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { withChromium } from "./browser.ts";
import { waitUntilLive } from "./chromium.ts";
import { startTestServer, type TestServer } from "./test-server.ts";

const openPage = withChromium();
let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
  await server.rpc("register_repo", {
    team_id: server.teamId,
    name: "engine",
    remote: "git@example.com:ada/engine.git",
  });
  await server.rpc("register_repo", { team_id: server.teamId, name: "notes" });
}, 240_000);
afterAll(() => server.stop());

async function signedIn(path = "/") {
  const opened = await openPage();
  await opened.page.goto(await server.signInUrl(path));
  await waitUntilLive(opened.page);
  return opened;
}
const heading = (page: Page) => page.locator("main h1").innerText();
const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent ?? "");
/** What is copied arrives a moment after the click. */
const untilCopied = (page: Page, text: string) =>
  page.waitForFunction(async (wanted) => (await navigator.clipboard.readText()) === wanted, text);
const untilTitled = (page: Page, title: string) => page.waitForFunction((wanted) => document.title === wanted, title);
const openPalette = async (page: Page) => {
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Search" }).waitFor();
};
const closePalette = async (page: Page) => {
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
};
const untilFound = (page: Page, text: string) =>
  page.getByRole("listbox", { name: "Results" }).getByRole("option").first().filter({ hasText: text }).waitFor();

describe("signing in", () => {
  test("a page without a token says which command to type, and copies it", async () => {
    const { page, complaints, close } = await openPage();
    await page.goto(`${server.url}/team`);
    await page.getByRole("heading", { name: "Sign in to Devflow" }).waitFor();
    await page.getByRole("button", { name: "Copy devflow open" }).click();
    await untilCopied(page, "devflow open");
    expect(complaints).toEqual([]);
    await close();
  });

  test("the code is spent once and leaves the address, the token stays in the tab's own storage", async () => {
    const { page, close } = await openPage();
    const url = await server.signInUrl("/team");
    await page.goto(url);
    await waitUntilLive(page);
    expect(page.url()).toBe(`${server.url}/team`);
    expect(await page.evaluate(() => [localStorage.length, document.cookie])).toEqual([0, ""]);
    await page.reload();
    await waitUntilLive(page);
    expect(await heading(page)).toBe("Team");
    await close();

    const second = await openPage();
    await second.page.goto(url);
    await second.page.getByText("The sign-in code was not accepted").waitFor();
    await second.close();
  });

  test("signing out forgets the token, and going back does not bring the data back", async () => {
    const { page, close } = await signedIn("/settings");
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByText("You signed out in this tab.").waitFor();
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
    await page.goto(server.url);
    await page.getByRole("heading", { name: "Sign in to Devflow" }).waitFor();
    await close();
  });
});

describe("with the mouse", () => {
  test("home tells health, durability, versions, what to do first, what happened and the teams, all from the server", async () => {
    const { page, complaints, close } = await signedIn();
    await page.locator('main [aria-label="Loading"]').first().waitFor({ state: "detached" });
    const text = async (name: string) =>
      (await page.getByRole("region", { name, exact: true }).innerText()).replace(/\s+/g, " ");
    await untilTitled(page, "Devflow");
    const health = await text("Health");
    // The test cluster runs without fsync, which the page must not pass over in silence.
    for (const word of [
      "Running",
      "Connected",
      "At risk",
      "fsync off",
      "full_page_writes off",
      "synchronous_commit on",
      "Up to date",
    ])
      expect(health).toContain(word);
    expect(await text("Versions")).toMatch(/Devflow \d+\.\d+\.\d+ Web app \d+\.\d+\.\d+ Runtime Bun .* Postgres \d+/);
    expect(await text("Runs")).toContain("0 At a gate 0 At work");
    expect(await text("Waiting for you")).toContain("Nothing waits for you");
    expect(await text("Active")).toContain('devflow run start "what to do"');
    expect(await text("Ended")).toContain("No run has ended yet");
    const steps = await text("First steps");
    expect(steps).toContain("Done: Register a repository 2 registered");
    expect(steps).toContain("devflow doctor");
    expect(await text("Recent activity")).toContain("Repository saved engine");
    expect(await text("Teams")).toContain("owner");
    expect(complaints).toEqual([]);
    await close();
  });

  test("a command of the checklist copies on click", async () => {
    const { page, close } = await signedIn();
    await page.getByRole("button", { name: "Copy devflow doctor" }).click();
    await untilCopied(page, "devflow doctor");
    await close();
  });

  test("every screen of the navigation opens, has its heading and title, and complains about nothing", async () => {
    const { page, complaints, close } = await signedIn();
    for (const name of ["Runs", "Evals", "Brain", "Team", "Browse", "Settings", "Home"]) {
      await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name }).click();
      await page.getByRole("heading", { level: 1, name }).waitFor();
      await untilTitled(page, name === "Home" ? "Devflow" : `${name} · Devflow`);
      expect(
        await page.getByRole("navigation", { name: "Main" }).locator('[aria-current="page"]').innerText(),
      ).toContain(name);
    }
    expect(complaints).toEqual([]);
    await close();
  });

  test("the brain without records says so, with the commands that add some", async () => {
    const { page, close } = await signedIn("/brain");
    await page.getByText("Nobody is at work").waitFor();
    await page.getByText("devflow brain heartbeat").waitFor();
    await close();
  });

  test("the repository picker narrows the activity, stands in the address, and follows from screen to screen", async () => {
    const { page, close } = await signedIn();
    await page.getByLabel("Repository").selectOption("engine");
    await page.getByText("Only changes in engine").waitFor();
    const rows = page.getByRole("region", { name: "Recent activity" }).locator("[data-row]");
    expect(await rows.count()).toBe(1);
    await page.getByRole("link", { name: "All activity" }).click();
    await page.getByRole("heading", { level: 1, name: "Activity" }).waitFor();
    expect(new URL(page.url()).searchParams.get("repo")).toBe("engine");
    await page.reload();
    await page.getByText("Only changes in engine").waitFor();
    await page.getByRole("link", { name: "Show all" }).click();
    await page.getByText("Repository saved notes").waitFor();
    await close();
  });

  test("the activity can be narrowed to one kind, which stands in the address, and each change has a page of its own", async () => {
    const { page, complaints, close } = await signedIn("/activity");
    const rows = page.getByRole("region", { name: "Changes" }).locator("[data-row]");
    await rows.first().waitFor();
    expect(await rows.count()).toBe(3);
    await page.getByLabel("Kind of change").selectOption({ label: "Repository" });
    await page.waitForURL(/kind=repo/);
    await rows.nth(2).waitFor({ state: "detached" });
    expect(await rows.count()).toBe(2);
    await rows.first().click();
    await page.waitForURL(/\/activity\/[0-9a-f-]{36}\/3/);
    await page.getByRole("heading", { level: 1, name: "Repository saved" }).waitFor();
    await page.getByRole("link", { name: /^[0-9a-f-]{36}$/ }).click();
    await page.getByRole("heading", { level: 1, name: "notes" }).waitFor();
    await page.goBack();
    await page.goBack();
    await page.waitForURL(/kind=repo/);
    expect(complaints).toEqual([]);
    await close();
  });

  test("the team's tables sort and filter through the address, and lead to an object with an address of its own", async () => {
    const { page, complaints, close } = await signedIn("/team");
    const names = () => page.getByRole("table", { name: "Repositories" }).locator("[data-row]").allInnerTexts();
    await page.getByRole("table", { name: "Repositories" }).waitFor();
    expect(await names()).toEqual(["engine", "notes"]);
    await page.getByRole("table", { name: "Repositories" }).getByRole("button", { name: "Name" }).click();
    await page.waitForURL(/sort=-name/);
    await page
      .getByRole("table", { name: "Repositories" })
      .locator("[data-row]")
      .first()
      .filter({ hasText: "notes" })
      .waitFor();
    expect(await names()).toEqual(["notes", "engine"]);
    await page.getByLabel("Filter members and repositories").fill("example.com");
    await page.waitForURL(/q=example\.com/);
    await page.reload();
    await page.getByRole("table", { name: "Repositories" }).waitFor();
    expect(await names()).toEqual(["engine"]);
    await page.getByRole("link", { name: "engine" }).click();
    await page.waitForURL(/\/team\/repositories\/[0-9a-f-]{36}/);
    await page.getByRole("heading", { level: 1, name: "engine" }).waitFor();
    await page.reload();
    await page.getByText("git@example.com:ada/engine.git").waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test("an object that is not there, and an address that leads nowhere, say so", async () => {
    const { page, close } = await signedIn("/team/repositories/01890000-0000-7000-8000-000000000000");
    await page.getByText("Not registered in this team").waitFor();
    await page.goto(`${server.url}/no/such/screen`);
    await page.getByRole("heading", { name: "Page not found" }).waitFor();
    await close();
  });

  test("the theme can be chosen and outlives the tab", async () => {
    const { page, close } = await openPage({ colorScheme: "light" });
    await page.goto(await server.signInUrl("/settings"));
    await waitUntilLive(page);
    const background = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    const light = await background();
    await page.getByLabel("Dark").check();
    const dark = await background();
    expect(dark).not.toBe(light);
    await page.reload();
    await page.getByRole("heading", { name: "Settings" }).waitFor();
    expect(await background()).toBe(dark);
    await page.getByLabel("Same as system").check();
    expect(await background()).toBe(light);
    await page.emulateMedia({ colorScheme: "dark" });
    expect(await background()).toBe(dark);
    await close();
  });
});

describe("with the keys alone", () => {
  test("g and a letter go to every screen, and the heading takes the focus", async () => {
    const { page, complaints, close } = await signedIn();
    for (const [key, name] of [
      ["r", "Runs"],
      ["e", "Evals"],
      ["b", "Brain"],
      ["t", "Team"],
      ["w", "Browse"],
      ["s", "Settings"],
      ["h", "Home"],
    ]) {
      await page.keyboard.press("g");
      await page.keyboard.press(key!);
      await page.getByRole("heading", { level: 1, name: name! }).waitFor();
      await page.waitForFunction((title) => document.activeElement?.textContent === title, name);
    }
    expect(complaints).toEqual([]);
    await close();
  });

  test("the first Tab reaches the skip link, which leads past the navigation", async () => {
    const { page, close } = await signedIn("/team");
    await page.getByRole("table", { name: "Members" }).waitFor();
    await page.keyboard.press("Tab");
    expect(await focused(page)).toBe("Skip to content");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    expect(await focused(page)).toBe("Pulse");
    expect(await page.evaluate(() => getComputedStyle(document.activeElement!).outlineStyle)).toBe("solid");
    await close();
  });

  test("j and k walk a list, Enter opens, / filters, and letters in the filter stay letters", async () => {
    const { page, close } = await signedIn("/team");
    await page.getByRole("table", { name: "Repositories" }).waitFor();
    for (const key of ["j", "j", "j", "k"]) await page.keyboard.press(key);
    expect(await focused(page)).toBe("engine");
    await page.keyboard.press("/");
    await page.keyboard.type("gjnotes?");
    expect(await page.getByLabel("Filter members and repositories").inputValue()).toBe("gjnotes?");
    await page.getByLabel("Filter members and repositories").fill("");
    await page.keyboard.press("Escape");
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "engine" }).waitFor();
    await close();
  });

  test("the palette finds a screen and opens it, finds a command and copies it, and gives the focus back", async () => {
    const { page, complaints, close } = await signedIn();
    await openPalette(page);
    await page.keyboard.type("doctor");
    await untilFound(page, "doctor");
    await page.keyboard.press("Enter");
    await page.getByText("Copied devflow doctor").waitFor();
    await untilCopied(page, "devflow doctor");
    await closePalette(page);

    const search = page.getByRole("button", { name: "Search or copy a command" });
    await search.focus();
    await openPalette(page);
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Control+c");
    const copied = await page.getByText(/^Copied devflow /).innerText();
    await untilCopied(page, copied.replace(/^Copied /, ""));
    await closePalette(page);
    await page.locator("button:focus", { hasText: "Search or copy a command" }).waitFor();

    await openPalette(page);
    await page.keyboard.type("settings");
    await untilFound(page, "Settings");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Settings" }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test("? shows the shortcuts and Escape closes them", async () => {
    const { page, close } = await signedIn();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await close();
  });
});
