import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { processIdentity } from "@devflow/core/process-proof";
import { canRun, lackOfProgram, runProcess, temporaryFolder, temporaryHome } from "@devflow/testkit";
import { html, type Site, startSite } from "../../testing/bench-site.ts";
import { browseCommand } from "../../testing/browse-command.ts";
import { readBundle } from "./bundle.ts";

const isHere = await canRun("evidence of a real browser", () =>
  lackOfProgram("/usr/bin/chromium", "--version", "apt-get install chromium"),
);
const home = temporaryHome({ isKept: true });
const workspace = temporaryFolder("shop");
const env = home.environment();
const canary = "hunter2-canary";
let site: Site;
let greeting = "Saved";

const { browse, ok } = browseCommand({ home, workspace });

/** The ref of the snapshot line with this text. */
async function refOf(words: string): Promise<string> {
  const lines = (await ok("snapshot", "-i")).split("\n");
  const ref = lines.map((line) => /(@e\d+) /.exec(line.includes(words) ? line : "")?.[1]).find(Boolean);
  if (!ref) throw new Error(`no ${words} in\n${lines.join("\n")}`);
  return ref;
}

/** Waits until the page has opened its tab. */
async function tabAt(path: string): Promise<string> {
  for (const until = Date.now() + 60_000; Date.now() < until; ) {
    const { tabs } = JSON.parse(await ok("tabs", "--json")) as { tabs: { id: string; url: string }[] };
    const found = tabs.find(({ url }) => url.endsWith(path));
    if (found) return found.id;
  }
  throw new Error(`no tab at ${path}`);
}

const git = (...words: string[]) =>
  runProcess(["git", "-c", "user.name=a", "-c", "user.email=a@b.test", ...words], { env, cwd: workspace });

describe.skipIf(!isHere)("evidence of a page with a password and a frame", () => {
  let bundle = "";
  let head = "";

  beforeAll(async () => {
    site = await startSite({
      "/": () =>
        html(
          `<label>Name <input id=n></label><label>Password <input type=password></label>
           <button onclick="document.querySelector('#out').innerHTML = '<h2>${greeting} ' + n.value + '</h2>'">Save</button>
           <div id=out></div><iframe title=inner src=/inner></iframe><a href=/next>Go on</a>`,
          "Shop",
        ),
      "/inner": html(`<button onclick="this.textContent = 'Done'">Inside</button>`),
      "/next": html("<h1>Next</h1>", "Next"),
      "/links": html("<a href=/second target=_blank>New tab</a>", "Links"),
      "/second": html(`<button onclick="this.textContent = 'Count 1'">Count</button>`, "Second"),
    });
    await git("init", "-q", "-b", "main");
    await git("commit", "-q", "--allow-empty", "-m", "first");
  }, 120_000);
  afterAll(async () => {
    await browse("stop");
    await site.close();
    home.remove();
  }, 120_000);

  test("is recorded with its commit and without the password, and is valid", async () => {
    const commit = (await git("rev-parse", "HEAD")).stdout.trim();
    expect(await ok("evidence", "start", "Check out!")).toContain(commit.slice(0, 12));
    expect((await browse("evidence", "start")).stderr).toContain("devflow browse evidence stop");
    await ok("goto", site.url("/"));
    await ok("fill", await refOf('"Name"'), "Ada");
    await ok("fill", await refOf('"Password"'), canary);
    expect((await browse("fill", "@e999", canary)).code).not.toBe(0);
    await ok("click", await refOf('"Save"'));
    await ok("click", await refOf('"Inside"'));
    await ok("click", await refOf('"Go on"'));
    const stopped = JSON.parse(await ok("evidence", "stop", "--json")) as { bundle: string; head: string };
    ({ bundle, head } = stopped);
    const { start, commands, isEnded } = readBundle(bundle);
    expect([start.commit, start.branch, isEnded]).toEqual([commit, "main", true]);
    expect(commands.filter(({ body }) => body.effect === "write").map(({ body }) => body.command)).toEqual([
      ...["goto", "fill", "fill", "fill", "click", "click", "click"],
    ]);
    expect(readdirSync(join(bundle, "shots")).length).toBe(7);
    const everything = ["journal.jsonl", "replay.spec.ts"].map((file) => readFileSync(join(bundle, file), "utf8"));
    expect(everything.join()).not.toContain(canary);
  }, 300_000);

  test("is replayed in a fresh session, with elements found by what they are and the secret from a file", async () => {
    writeFileSync(join(workspace, "secrets.json"), JSON.stringify({ SECRET_1: canary, SECRET_2: "unused" }));
    const done = JSON.parse(await ok("verify", bundle, "--head", head, "--secrets", "secrets.json", "--json")) as {
      steps: { command: string; differences: string[]; skipped?: string }[];
    };
    expect(done.steps.map(({ command, differences, skipped }) => [command, differences, skipped])).toEqual([
      ["goto", [], undefined],
      ["fill", [], undefined],
      ["fill", [], undefined],
      ["fill", [], "its ref did not exist"],
      ["click", [], undefined],
      ["click", [], undefined],
      ["click", [], undefined],
    ]);
    const without = await ok("verify", bundle);
    expect(without).toContain("was skipped: it needs SECRET_1; pass them with --secrets <file>");
    expect(await ok("tabs", "--all")).not.toContain("verify-");
  }, 300_000);

  test("fails and shows the differences when the app behaves differently", async () => {
    greeting = "Lost";
    const { code, stderr } = await browse("verify", bundle);
    greeting = "Saved";
    expect(code).toBe(65);
    expect(stderr).toContain('click: change is gone: + heading "Saved Ada"');
    expect(stderr).toContain('click: change is new: + heading "Lost Ada"');
  }, 300_000);

  test("is replayed against another server", async () => {
    const other = await startSite({ "/": html("<h1>Nothing of it</h1>", "Other") });
    try {
      const { code, stderr } = await browse("verify", bundle, "--url", other.url("/"));
      expect([code, stderr.includes("title: Shop → Other")]).toEqual([65, true]);
    } finally {
      await other.close();
    }
  }, 300_000);

  test("is refused once a byte of a screenshot or of the journal has changed", async () => {
    const copy = join(workspace, "copy");
    const first = readdirSync(join(bundle, "shots"))[0] ?? "";
    cpSync(bundle, copy, { recursive: true });
    expect(await ok("verify", copy, "--check-only")).toContain("is intact");
    writeFileSync(join(copy, "shots", first), "another picture");
    expect((await browse("verify", copy)).stderr).toContain(`shots/${first} was changed`);
    cpSync(bundle, copy, { recursive: true });
    const journal = join(copy, "journal.jsonl");
    writeFileSync(journal, readFileSync(journal, "utf8").replace('"value":"Ada"', '"value":"Eve"'));
    expect((await browse("verify", copy)).stderr).toMatch(/is not valid: line \d+ was changed/);
    const wrongHead = await browse("verify", bundle, "--head", "0".repeat(64));
    expect(wrongHead.stderr).toContain("it does not end with the given hash");
  }, 300_000);

  test("runs as a Playwright test", async () => {
    const folder = temporaryFolder("spec");
    const modules = fileURLToPath(new URL("../../../../node_modules", import.meta.url));
    symlinkSync(modules, join(folder, "node_modules"));
    mkdirSync(join(folder, "tests"));
    cpSync(join(bundle, "replay.spec.ts"), join(folder, "tests/replay.spec.ts"));
    const launch = { executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] };
    const config = { testDir: "tests", outputDir: "out", timeout: 60_000, use: { launchOptions: launch } };
    writeFileSync(join(folder, "playwright.config.mjs"), `export default ${JSON.stringify(config)};\n`);
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }\n');
    const runner = fileURLToPath(import.meta.resolve("@playwright/test/cli"));
    const run = () =>
      runProcess(["node", runner, "test", "--reporter=line"], {
        env: { ...env, SECRET_1: canary },
        cwd: folder,
        timeoutMs: 120_000,
      });
    const passed = await run();
    expect([passed.code, passed.stdout]).toEqual([0, expect.stringContaining("1 passed")]);
    greeting = "Lost";
    const failed = await run();
    greeting = "Saved";
    expect([failed.code, failed.stdout.includes("Saved Ada")]).toEqual([1, true]);
  }, 300_000);

  test("contains no secrets: headers, cookies, stored values, keys typed into a password field", async () => {
    await ok("evidence", "start", "secrets");
    await ok("goto", site.url("/"));
    await ok("headers", `X-Key: ${canary}`);
    await ok("cookie", "sid", canary);
    await ok("storage-set", "token", canary);
    await ok("click", await refOf('"Password"'));
    await ok("type", canary);
    await ok("text");
    const { bundle: folder } = JSON.parse(await ok("evidence", "stop", "--json")) as { bundle: string };
    const files = readdirSync(folder).filter((name) => name !== "shots");
    const written = files.map((name) => readFileSync(join(folder, name), "utf8")).join();
    expect(files.toSorted()).toEqual(["journal.jsonl", "replay.spec.ts"]);
    expect(written).toContain("{{SECRET_4}}");
    expect(written).not.toContain(canary);
  }, 300_000);

  test("follows tabs: opened by hand, by a link, switched and closed", async () => {
    await ok("newtab", "about:blank");
    await ok("evidence", "start", "tabs");
    await ok("goto", site.url("/links"));
    await ok("click", await refOf('"New tab"'));
    const opened = await tabAt("/second");
    await ok("newtab", site.url("/next"));
    await ok("tab", opened);
    await ok("click", await refOf('"Count"'));
    await ok("closetab", opened);
    await ok("evidence", "stop");
    const done = JSON.parse(await ok("verify", "--json")) as { steps: { command: string; differences: string[] }[] };
    expect(done.steps).toEqual(
      ["goto", "click", "newtab", "tab", "click", "closetab"].map((command) =>
        expect.objectContaining({ command, differences: [] }),
      ),
    );
  }, 300_000);

  test("of a killed daemon keeps what was recorded by then, and can be ended afterwards", async () => {
    await ok("evidence", "start", "killed");
    await ok("goto", site.url("/"));
    await ok("fill", await refOf('"Name"'), "Bob");
    const { pid } = JSON.parse(await ok("status", "--json")) as { pid: number };
    process.kill(pid, "SIGKILL");
    while (processIdentity(pid) !== undefined) await Bun.sleep(10);
    const ended = await ok("evidence", "stop");
    expect(ended).toContain("the browser's daemon was killed");
    const folder = /commands in (\S+)/.exec(ended)?.[1] ?? "";
    expect(await ok("verify", folder)).toContain("2 steps were replayed and went as recorded");
    expect(existsSync(join(workspace, folder, "replay.spec.ts"))).toBe(true);
  }, 300_000);
});
