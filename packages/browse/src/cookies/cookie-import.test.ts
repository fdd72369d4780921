import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { canRun, lackOfProgram, temporaryFolder, temporaryHome } from "@devflow/testkit";
import { chromium } from "playwright-core";
import { type Site, startSite } from "../../testing/bench-site.ts";
import { browseCommand } from "../../testing/browse-command.ts";

const executablePath = "/usr/bin/chromium";
const isHere = await canRun("cookies imported into a real browser", () =>
  lackOfProgram(executablePath, "--version", "apt-get install chromium"),
);
const home = temporaryHome({ isKept: true });
const workspace = temporaryFolder("ws");
const canary = "canary-cookie-51c0ffee";
const args = ["--no-sandbox", "--password-store=basic", "--no-first-run", "--disable-background-networking"];
let site: Site;

const { browse, ok } = browseCommand({ home, workspace });

describe.skipIf(!isHere)("logins from the person's own Chromium", () => {
  beforeAll(async () => {
    site = await startSite({
      "/login": ({ response }) => {
        response.setHeader("set-cookie", `sid=${canary}; Max-Age=3600; HttpOnly`);
        return "in";
      },
      "/": ({ request }) => `<h1>${request.headers.cookie?.includes(canary) ? "Hello Ada" : "Who are you?"}</h1>`,
    });
    const profile = join(home.path, ".config/chromium");
    const person = await chromium.launchPersistentContext(profile, { executablePath, args });
    for (const host of ["127.0.0.1", "localhost"] as const) {
      await (await person.newPage()).goto(site.url("/login", host));
    }
    await person.close();
  }, 120_000);
  afterAll(async () => {
    await browse("stop");
    await site.close();
    home.remove();
  }, 120_000);

  test("are imported for one site and not for the other, and the value is never shown", async () => {
    await ok("goto", site.url("/", "localhost"));
    expect(await ok("text")).toContain("Who are you?");
    const listed = await ok("cookie-import", "chromium", "--list");
    expect(listed).toBe("2 cookies of 2 sites in chromium\n    1  127.0.0.1\n    1  localhost\n");
    expect(await ok("cookie-import", "chromium", "--domain", "localhost")).toBe("1 cookies of 1 sites: localhost 1\n");
    await ok("reload");
    expect(await ok("text")).toContain("Hello Ada");
    await ok("goto", site.url("/", "127.0.0.1"));
    expect(await ok("text")).toContain("Who are you?");
    expect(await everythingWritten()).not.toContain(canary);
  }, 300_000);

  test("are chosen by the person on a page that works once", async () => {
    const { pickerUrl } = JSON.parse(await ok("cookie-import", "chromium", "--json")) as { pickerUrl: string };
    const browser = await chromium.launch({ executablePath, args });
    try {
      const page = await browser.newPage();
      await page.goto(pickerUrl);
      await page.getByLabel("127.0.0.1").check();
      expect(await page.content()).not.toContain(canary);
      await page.getByRole("button").click();
      await page.getByText("1 cookies were imported").waitFor();
    } finally {
      await browser.close();
    }
    await ok("goto", site.url("/", "127.0.0.1"));
    expect(await ok("text")).toContain("Hello Ada");
  }, 300_000);

  test("are imported from a file too, and an unknown source lists what can be read", async () => {
    const curl = `curl '${site.url("/", "localhost")}' -H 'Cookie: sid=${canary}'`;
    writeFileSync(join(workspace, "request.txt"), curl);
    expect(await ok("cookie-import", "./request.txt", "--session", "other")).toBe(
      "1 cookies of 1 sites: localhost 1\n",
    );
    await ok("goto", site.url("/", "localhost"), "--session", "other");
    expect(await ok("text", "--session", "other")).toContain("Hello Ada");
    const outside = await browse("cookie-import", "/etc/passwd");
    expect([outside.code === 0, outside.stderr.includes("root:")]).toEqual([false, false]);
    expect((await browse("cookie-import", "netscape")).stderr).toContain("Known: chrome, chromium, brave");
    expect((await browse("cookie-import", "chromium", "--domain", "bank.test")).stderr).toContain("--list");
  }, 300_000);
});

/** Every file that the browser's daemon left in the workspace. */
async function everythingWritten(): Promise<string> {
  const files = readdirSync(join(workspace, ".devflow"), { recursive: true, withFileTypes: true });
  const texts = files
    .filter((one) => one.isFile())
    .map((one) => readFileSync(join(one.parentPath, one.name), "latin1"));
  return texts.join("\n");
}
