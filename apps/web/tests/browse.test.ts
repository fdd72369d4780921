/** A person looks on while an agent drives a browser: the real server, the real daemon, and two real Chromiums. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BrowseWorkspaceList } from "@devflow/protocol";
import { devflowCommand, type ProcessResult, runProcess } from "@devflow/testkit";
import type { Page } from "playwright-core";
import { accessibilityFaults, withChromium } from "./browser.ts";
import { phone, waitUntilLive } from "./chromium.ts";
import { startTestServer, type TestServer } from "./test-server.ts";
import { hostileTexts } from "./xss-corpus.ts";

const openPage = withChromium();
let server: TestServer;
let site: Bun.Server<undefined>;
beforeAll(async () => {
  server = await startTestServer();
  site = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: ({ url }) => pageAt(new URL(url).pathname) });
}, 120_000);
afterAll(async () => {
  await browse("stop");
  site.stop(true);
  await server.stop();
}, 120_000);

const pages: Record<string, string> = {
  "/shop": `<title>Shop</title><body style="background:#cde"><h1>Shop</h1><p id="n">0 in the cart</p>
    <button onclick="n.textContent='1 in the cart'">Add</button><input type="password" aria-label="Password">`,
  "/second": "<title>Second page</title><h1>Second</h1>",
  "/hang": `<title>Hangs</title><body style="background:#fed"><h1>Soon</h1>
    <button onclick="setTimeout(()=>{for(;;);},50)">Spin</button>`,
  "/hostile": `<h1>x</h1><script>document.title=${JSON.stringify(hostileTexts[1]).replaceAll("<", "\\u003c")}</script>`,
};
function pageAt(path: string): Response {
  return new Response(pages[path] ?? "", { headers: { "content-type": "text/html; charset=utf-8" } });
}
const urlOf = (path: string) => `http://127.0.0.1:${site.port}${path}`;

/** As an agent would type it, in the repository. */
async function browse(...words: string[]): Promise<ProcessResult> {
  const env = server.environment;
  return await runProcess([...devflowCommand(), "browse", ...words], {
    cwd: server.repository,
    env,
    timeoutMs: 120_000,
  });
}
async function done(...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await browse(...words);
  if (code !== 0) throw new Error(`browse ${words.join(" ")} ended with ${code}: ${stderr}`);
  return stdout;
}
async function signedIn(path = "/", options: Parameters<typeof openPage>[0] = {}) {
  const opened = await openPage(options);
  await opened.page.goto(await server.signInUrl(path));
  await waitUntilLive(opened.page);
  return opened;
}
const ask = (path: string, headers: Record<string, string> = {}, init: RequestInit = {}) =>
  fetch(server.url + path, { ...init, headers: { authorization: `Bearer ${server.machineToken}`, ...headers } });
async function workspaceId(): Promise<string> {
  const { workspaces } = BrowseWorkspaceList.parse(await (await ask("/api/browse/workspaces")).json());
  return workspaces[0]!.id;
}
const daemonState = () =>
  JSON.parse(readFileSync(join(server.repository, ".devflow/browse.json"), "utf8")) as { token: string };
const picture = (page: Page, state = "live") => page.locator(`[data-picture="${state}"]`);

test("before any browser was started, the screen names the command that starts one", async () => {
  const { page, complaints, close } = await signedIn("/browse");
  await page.getByText("No browser started yet").waitFor();
  await page.getByRole("button", { name: "Copy devflow browse goto http://localhost:3000" }).waitFor();
  expect(complaints).toEqual([]);
  await close();
});

describe("while a browser runs", () => {
  test("the screen shows the page, the tabs and what each command changed, and follows by itself", async () => {
    await done("goto", urlOf("/shop"));
    const { page, complaints, close } = await signedIn("/browse");
    await page.getByRole("row", { name: /shop.*Running.*Shop/ }).waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "shop" }).waitFor();
    await picture(page).waitFor();
    const size = await picture(page).evaluate((image: HTMLImageElement) => [image.naturalWidth, image.naturalHeight]);
    expect(size).toEqual([800, 500]);
    // The page's own colour, in the middle of the picture.
    const colour = await picture(page).evaluate((image: HTMLImageElement) => {
      const canvas = document.createElement("canvas");
      const brush = canvas.getContext("2d")!;
      brush.drawImage(image, -400, -400);
      return [...brush.getImageData(0, 0, 1, 1).data.slice(0, 3)].map((one) => Math.round(one / 17));
    });
    expect(colour).toEqual([0xc, 0xd, 0xe]);

    const ref = /(@e\d+) button "Add"/.exec(await done("snapshot", "-i"))![1]!;
    await done("click", ref);
    await page.locator('[data-receipt="click"]', { hasText: "1 in the cart" }).waitFor();
    await done("newtab", urlOf("/second"));
    await page.locator("[data-session=default] [data-row]", { hasText: "Second page" }).click();
    await page.getByRole("figure").getByText("Second page").waitFor();
    expect(new URL(page.url()).searchParams.get("tab")).toBe("t2");
    expect(complaints).toEqual([]);
    await close();
  });

  test("what is typed stands in no receipt", async () => {
    await done("goto", urlOf("/shop"));
    const ref = /(@e\d+) textbox "Password"/.exec(await done("snapshot", "-i"))![1]!;
    await done("fill", ref, "canary-5up3r-s3cret");
    const answer = await (await ask(`/api/browse/workspaces/${await workspaceId()}`)).text();
    expect(answer).toContain('"command":"fill"');
    expect(answer).not.toContain("canary-5up3r-s3cret");
  });

  test("a page that calls itself markup is shown as text", async () => {
    await done("goto", urlOf("/hostile"));
    const { page, complaints, close } = await signedIn(`/browse/${await workspaceId()}`);
    await page.getByRole("figure").getByText(hostileTexts[1]!).waitFor();
    expect(await page.evaluate(() => (window as { pwned?: unknown }).pwned)).toBeUndefined();
    expect(complaints).toEqual([]);
    await close();
  });

  test("on a phone and in the dark it can be read by everyone, and nothing scrolls sideways", async () => {
    await done("goto", urlOf("/shop"));
    const { page, close } = await signedIn(`/browse/${await workspaceId()}`, { viewport: phone, colorScheme: "dark" });
    await picture(page).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    const sideways = () =>
      page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    expect(await sideways()).toBe(0);
    await page.getByRole("link", { name: "Browse" }).first().click();
    await page.getByRole("row", { name: /shop/ }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(await sideways()).toBe(0);
    await close();
  });
});

describe("evidence", () => {
  test("a bundle is listed as intact, its screenshots are shown, and a changed screenshot is reported", async () => {
    await done("evidence", "start", "checkout");
    await done("goto", urlOf("/shop"));
    await done("click", /(@e\d+) button "Add"/.exec(await done("snapshot", "-i"))![1]!);
    await done("evidence", "stop");
    const { page, complaints, close } = await signedIn(`/browse/${await workspaceId()}`);
    await page
      .getByRole("row", { name: /checkout.*Intact/ })
      .getByRole("link")
      .click();
    await page.locator('[data-bundle-state="holds"]').waitFor();
    await page.waitForFunction(() => (document.querySelector<HTMLImageElement>("[data-shot]")?.naturalWidth ?? 0) > 0);
    expect(await page.locator("[data-row]", { hasText: "click" }).innerText()).toContain("1 in the cart");
    expect(await accessibilityFaults(page)).toEqual([]);

    const folder = join(server.repository, ".devflow/evidence");
    const bundle = readdirSync(folder)[0]!;
    const shots = join(folder, bundle, "shots");
    writeFileSync(join(shots, readdirSync(shots)[0]!), "changed");
    await page.locator('[data-bundle-state="broken"]').waitFor();
    await page.getByText("its screenshot was changed").waitFor();
    expect(complaints).toEqual([]);
    await close();
  });
});

describe("who may look", () => {
  test("nobody without the token, from another origin, under another name, or with a method that acts", async () => {
    const path = `/api/browse/workspaces/${await workspaceId()}`;
    for (const each of ["/api/browse/workspaces", path, `${path}/picture?session=default&tab=t1`, `${path}/evidence`]) {
      expect((await ask(each)).status).toBe(200);
      expect((await fetch(server.url + each)).status).toBe(401);
      expect((await ask(each, { authorization: `Bearer ${daemonState().token}` })).status).toBe(401);
      expect((await ask(each, { origin: "http://evil.example" })).status).toBe(403);
      expect((await ask(each, { "sec-fetch-site": "cross-site" })).status).toBe(403);
      expect((await ask(each, { host: "evil.example" })).status).toBe(403);
      expect((await ask(each, {}, { method: "POST", body: "{}" })).status).toBe(405);
    }
  });

  test("the browser's own token is in no answer", async () => {
    const path = `/api/browse/workspaces/${await workspaceId()}`;
    const { token } = daemonState();
    for (const each of ["/api/browse/workspaces", path, `${path}/picture?session=default&tab=t1`, `${path}/evidence`]) {
      const answer = await ask(each);
      expect(await answer.text()).not.toContain(token);
      expect(JSON.stringify([...answer.headers])).not.toContain(token);
    }
  });
});

test("a page that hangs keeps its last picture and is said to hang; the browser answers all the same", async () => {
  await done("goto", urlOf("/hang"));
  const { page, close } = await signedIn(`/browse/${await workspaceId()}`);
  await picture(page).waitFor();
  const ref = /(@e\d+) button "Spin"/.exec(await done("snapshot", "-i"))![1]!;
  const clicked = browse("click", ref, "--timeout", "20000");
  await picture(page, "page does not answer").waitFor();
  await page.getByText("Showing the last picture").waitFor();
  expect(await picture(page, "page does not answer").evaluate((one: HTMLImageElement) => one.naturalWidth)).toBe(800);
  expect(await done("status")).toContain("default");
  await clicked;
  await close();
});

test("a browser that has ended is said to be stopped, and its evidence stays", async () => {
  await done("stop");
  const { page, close } = await signedIn("/browse");
  await page
    .getByRole("row", { name: /shop.*Stopped/ })
    .getByRole("link")
    .click();
  await page.getByText("The browser is not running").waitFor();
  await page.getByRole("row", { name: /checkout/ }).waitFor();
  await close();
});
