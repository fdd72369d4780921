import { describe, expect, test } from "bun:test";
import { request } from "node:http";
import { canRun, lackOfProgram } from "@devflow/testkit";
import { chromium } from "playwright-core";
import { type OpenPicker, openPicker } from "./picker-server.ts";

const domains = [
  { domain: "shop.test", count: 3 },
  { domain: '<img src=x onerror="document.title=1">', count: 1 },
];

async function picker(given: string[][] = [], timeMs?: number): Promise<OpenPicker & AsyncDisposable> {
  const task = { browser: "chrome", domains, choose: async (chosen: readonly string[]) => given.push([...chosen]) };
  const opened = await openPicker(task, timeMs === undefined ? {} : { timeMs });
  const end = async () => {
    opened.close();
    await opened.closed;
  };
  return { ...opened, [Symbol.asyncDispose]: end };
}

interface Asked {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

/** Not fetch, since the headers that browsers control are tested here. */
function ask({ url }: OpenPicker, { path = "/", method = "GET", headers = {}, body }: Asked = {}) {
  const { port, origin } = new URL(url);
  const own = method === "POST" ? { origin, "content-type": "application/json" } : {};
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, path, method, headers: { ...own, ...headers } }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (part: string) => (text += part));
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, text }));
    });
    sent.on("error", reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
const codeOf = ({ url }: OpenPicker) => new URL(url).hash.slice(1);

describe("the page for choosing cookies", () => {
  test("shows nothing without the code, and the code works once", async () => {
    await using open = await picker();
    const page = await ask(open);
    expect([page.status, page.text.includes("shop.test"), page.text.includes(codeOf(open))]).toEqual([
      200,
      false,
      false,
    ]);
    const body = { code: codeOf(open) };
    const first = await ask(open, { method: "POST", path: "/open", body });
    expect(JSON.parse(first.text)).toMatchObject({ browser: "chrome", domains });
    expect((await ask(open, { method: "POST", path: "/open", body })).status).toBe(403);
  });

  test("accepts one choice, of the listed sites only, and closes", async () => {
    const given: string[][] = [];
    await using open = await picker(given);
    const opened = await ask(open, { method: "POST", path: "/open", body: { code: codeOf(open) } });
    const { key } = JSON.parse(opened.text) as { key: string };
    const chosen = { key, domains: ["shop.test", "bank.test"] };
    expect((await ask(open, { method: "POST", path: "/import", body: chosen })).text).toBe('{"imported":1}');
    expect(given).toEqual([["shop.test"]]);
    await open.closed;
  });

  test("closes after five wrong codes", async () => {
    await using open = await picker();
    for (let attempt = 0; attempt < 5; attempt++) {
      expect((await ask(open, { method: "POST", path: "/open", body: { code: "guess" } })).status).toBe(403);
    }
    await open.closed;
  });

  test("closes after its time is up", async () => {
    await using open = await picker([], 20);
    await open.closed;
  });

  test("refuses another host name, another origin and links from other pages", async () => {
    await using open = await picker();
    const body = { code: codeOf(open) };
    const post = { method: "POST", path: "/open", body };
    const { port } = new URL(open.url);
    const refused = [
      await ask(open, { headers: { host: `evil.test:${port}` } }),
      await ask(open, { headers: { host: `localhost:${port}` } }),
      await ask(open, { headers: { "sec-fetch-site": "cross-site" } }),
      await ask(open, { ...post, headers: { origin: "https://evil.test" } }),
      await ask(open, { ...post, headers: { origin: "null" } }),
      await ask(open, { ...post, headers: { "content-type": "text/plain" } }),
      await ask(open, { ...post, path: "/import", body: { key: "x", domains: ["shop.test"] } }),
    ];
    expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 403));
    expect((await ask(open, post)).status).toBe(200);
  });
});

const executablePath = "/usr/bin/chromium";
const isHere = await canRun("the cookie picker in a real browser", () =>
  lackOfProgram(executablePath, "--version", "apt-get install chromium"),
);

test.skipIf(!isHere)(
  "a person opens it, finds a site, ticks it and imports its cookies; site names are shown as plain text",
  async () => {
    const given: string[][] = [];
    await using open = await picker(given);
    const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
    try {
      const page = await browser.newPage();
      const errors: string[] = [];
      page.on("pageerror", (error) => errors.push(error.message));
      page.on("console", (message) => errors.push(message.text()));
      await page.goto(open.url);
      await page.getByText('<img src=x onerror="document.title=1">').waitFor();
      expect(page.url()).not.toContain(codeOf(open));
      await page.getByLabel("Find a site").fill("shop");
      await page.getByLabel("shop.test").check();
      await page.getByRole("button").click();
      await page.getByText("1 cookies were imported").waitFor();
      expect([given, errors, await page.title()]).toEqual([[["shop.test"]], [], "Cookies for the agent's browser"]);
    } finally {
      await browser.close();
    }
  },
  120_000,
);
