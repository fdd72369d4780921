/** A page of another origin, in a real browser, tries everything it can against a server on the same machine. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { canRun } from "@devflow/testkit";
import { type Browser, chromium, type Page } from "playwright-core";
import { folderAssets } from "../src/index.ts";
import { startTestServer, type TestServer } from "./test-server.ts";

const names = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];
const executablePath = names.map((name) => Bun.which(name)).find((path) => path !== null);
const hasBrowser = await canRun("the hostile page", async () =>
  executablePath ? undefined : "there is no Chromium; npm test installs it, by hand: apt-get install chromium",
);

let it: TestServer;
let hostile: Bun.Server<undefined>;
let browser: Browser | undefined;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "devflow-web-"));
  mkdirSync(join(folder, "assets"));
  writeFileSync(join(folder, "index.html"), "<!doctype html><title>Devflow</title><h1>Devflow</h1>");
  writeFileSync(join(folder, "assets", "index-abcd1234.js"), "window.stolen = true");
  writeFileSync(join(folder, "logo.svg"), "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>");
  it = await startTestServer({ webAssets: folderAssets(folder) });
  hostile = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => new Response("<!doctype html><title>Hostile</title>", { headers: { "content-type": "text/html" } }),
  });
  if (!hasBrowser || !executablePath) return;
  browser = await chromium.launch({
    executablePath,
    args: [
      "--no-sandbox",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--no-first-run",
      "--host-resolver-rules=MAP rebound.example 127.0.0.1",
    ],
  });
}, 60_000);
afterAll(async () => {
  await browser?.close();
  await hostile.stop(true);
  await it.stop();
  rmSync(folder, { recursive: true });
}, 60_000);

async function openHostilePage(): Promise<Page> {
  const page = await (await (browser as Browser).newContext()).newPage();
  await page.goto(`http://127.0.0.1:${hostile.port}/`);
  return page;
}

/** `[method path, status]` of what reached the server since a place in its log. */
function requestsSince(place: number): [string, number][] {
  return it
    .logged()
    .slice(place)
    .split("\n")
    .filter((line) => line.includes('"msg":"request"'))
    .map((line) => JSON.parse(line) as { method: string; path: string; status: number })
    .map(({ method, path, status }) => [`${method} ${path}`, status]);
}

async function requested(page: Page, place: number, count: number): Promise<void> {
  while (requestsSince(place).length < count) await page.waitForTimeout(20);
}

test.skipIf(!hasBrowser)(
  "a page on another port of this machine reads nothing, writes nothing and shows nothing",
  async () => {
    const page = await openHostilePage();
    const place = it.logged().length;
    const pings = await it.admin`select count(*)::int as n from app.pings`;
    const outcome = await page.evaluate(
      async ({ url, token, teamId }) => {
        const attempt = (work: () => Promise<unknown>) =>
          work().then(
            (value) => `got ${value}`,
            () => "refused",
          );
        const element = (name: string, settings: object) =>
          new Promise<string>((resolve) => {
            const made = Object.assign(document.createElement(name), settings);
            made.addEventListener("load", () => resolve("loaded"));
            made.addEventListener("error", () => resolve("refused"));
            document.body.append(made);
          });
        const body = JSON.stringify({ team_id: teamId });
        const json = { authorization: `Bearer ${token}`, "content-type": "application/json" };
        return {
          read: await attempt(async () => (await fetch(`${url}/api/status`)).text()),
          readWithStolenToken: await attempt(async () => (await fetch(`${url}/api/status`, { headers: json })).text()),
          writeWithStolenToken: await attempt(async () =>
            (await fetch(`${url}/rest/v1/rpc/ping`, { method: "POST", headers: json, body })).text(),
          ),
          writeBlindly: await attempt(
            async () => (await fetch(`${url}/rest/v1/rpc/ping`, { method: "POST", mode: "no-cors", body })).type,
          ),
          spendBlindly: await attempt(
            async () =>
              (await fetch(`${url}/auth/exchange`, { method: "POST", mode: "no-cors", body: '{"code":"x"}' })).type,
          ),
          follow: await new Promise<string>((resolve) => {
            const source = new EventSource(`${url}/sse/global`);
            source.onopen = () => resolve("opened");
            source.onerror = () => {
              source.close();
              resolve("refused");
            };
          }),
          script: await element("script", { src: `${url}/assets/index-abcd1234.js` }),
          picture: await element("img", { src: `${url}/logo.svg` }),
          ran: "stolen" in window,
        };
      },
      { url: it.url, token: it.token, teamId: it.teamId },
    );
    expect(outcome).toEqual({
      read: "refused",
      readWithStolenToken: "refused",
      writeWithStolenToken: "refused",
      writeBlindly: "refused",
      spendBlindly: "refused",
      follow: "refused",
      script: "refused",
      picture: "refused",
      ran: false,
    });
    const reached = requestsSince(place);
    expect(reached.length).toBeGreaterThanOrEqual(8);
    expect(reached.filter(([, status]) => status !== 403)).toEqual([]);
    expect(await it.admin`select count(*)::int as n from app.pings`).toEqual(pings);
    await page.context().close();
  },
  60_000,
);

test.skipIf(!hasBrowser)(
  "it cannot frame the app, post a form to it, or hold on to a window of it",
  async () => {
    const page = await openHostilePage();
    const place = it.logged().length;
    await page.setContent(`<iframe name="framed" src="${it.url}/"></iframe>
    <form method="post" target="framed" action="${it.url}/auth/exchange"><input name="code" value="x"></form>`);
    await requested(page, place, 1);
    await page.evaluate(() => document.querySelector("form")?.submit());
    await requested(page, place, 2);
    expect(requestsSince(place)).toEqual([
      ["GET /", 403],
      ["POST /auth/exchange", 403],
    ]);
    const opened = page.context().waitForEvent("page");
    const handle = await page.evaluateHandle((url) => window.open(url), `${it.url}/`);
    const app = await opened;
    await app.waitForLoadState();
    expect(await app.title()).toBe("Devflow");
    expect(await app.evaluate(() => window.opener)).toBeNull();
    // The two pages live in two processes: that the window is lost to its opener is told a moment later.
    await page.waitForFunction((window) => window?.closed === true, handle);
    await page.context().close();
  },
  60_000,
);

test.skipIf(!hasBrowser)(
  "a name that was rebound to this machine gets neither the page nor the API",
  async () => {
    const page = await (await (browser as Browser).newContext()).newPage();
    const place = it.logged().length;
    const answer = await page.goto(`http://rebound.example:${it.server.port}/`);
    expect(answer?.status()).toBe(403);
    const read = await page.evaluate(
      async (token) => (await fetch("/api/status", { headers: { authorization: `Bearer ${token}` } })).status,
      it.token,
    );
    expect(read).toBe(403);
    expect(new Set(requestsSince(place).map(([, status]) => status))).toEqual(new Set([403]));
    await page.context().close();
  },
  60_000,
);
