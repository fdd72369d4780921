import { expect, test } from "bun:test";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { canRun, lackOfProgram, temporaryFolder } from "@devflow/testkit";
import { type BrowserContext, chromium } from "playwright-core";
import { readBrowserCookies } from "./read-cookies.ts";
import { playwrightCookie } from "./to-playwright.ts";

const executablePath = "/usr/bin/chromium";
const isHere = await canRun("cookies of a real Chromium profile", () =>
  lackOfProgram(executablePath, "--version", "apt-get install chromium"),
);
const args = ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
const options = { executablePath, headless: true, args: [...args, "--no-first-run", "--password-store=basic"] };

const plain = async (context: BrowserContext) =>
  (await context.cookies())
    .map(({ domain, name, value, path, httpOnly, secure, partitionKey }) => ({
      ...{ domain, name, value, path, httpOnly, secure },
      ...(partitionKey ? { partitionKey } : {}),
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));

test.skipIf(!isHere)(
  "cookies of a real Chromium profile are read completely, and a new context gets the same ones",
  async () => {
    const home = temporaryFolder("profile");
    const server = createServer((_, response) => {
      const year = "Max-Age=31536000";
      response.setHeader("set-cookie", [
        `lax=wert-%F0%9F%8D%AA; ${year}; SameSite=Lax; HttpOnly; Path=/app`,
        `unspecified=1; ${year}`,
        `empty=; ${year}; SameSite=Strict`,
      ]);
      response.end("<title>set</title>");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    try {
      const profile = await chromium.launchPersistentContext(join(home, ".config/chromium"), options);
      const page = profile.pages()[0] ?? (await profile.newPage());
      await page.goto(`http://localhost:${port}/app`);
      const expires = Math.floor(Date.now() / 1000) + 86_400;
      await profile.addCookies([
        { name: "wide", value: "w", domain: ".wide.test", path: "/", expires, secure: true, sameSite: "None" },
        {
          ...{ name: "chips", value: "c", domain: "cdn.test", path: "/", expires, secure: true, sameSite: "None" },
          partitionKey: "https://shop.test",
        },
      ]);
      const before = await plain(profile);
      await profile.close();

      const reading = await readBrowserCookies("chromium", { home, platform: "linux", env: {} });
      expect(reading.unreadable).toEqual({});
      expect(Object.fromEntries(reading.cookies.map((one) => [one.name, [one.value.reveal(), one.sameSite]]))).toEqual({
        lax: ["wert-%F0%9F%8D%AA", "Lax"],
        unspecified: ["1", undefined],
        empty: ["", "Strict"],
        wide: ["w", "None"],
        chips: ["c", "None"],
      });

      const browser = await chromium.launch(options);
      try {
        const context = await browser.newContext();
        await context.addCookies(reading.cookies.map(playwrightCookie));
        expect(await plain(context)).toEqual(before);
      } finally {
        await browser.close();
      }
    } finally {
      server.close();
    }
  },
  120_000,
);
