/**
 * Devflow and its peers behind one interface: a command line that drives a browser that stays open. All of them drive the
 * same Chromium, headless, each with its own home.
 *
 * - `openDrivers(context)` those that can run here, ours first; `closeDrivers` ends their browsers.
 * - `driver.run(words)` one process, its output and how long it took.
 */
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freshExecutable } from "../../scripts/build/executable.ts";
import type { BenchmarkContext } from "../benchmark.ts";
import { findRivals } from "./rivals.ts";

/** Each tool's names for the same things. */
interface Dialect {
  readonly name: string;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Cold start with the page. */
  readonly cold: (url: string) => readonly (readonly string[])[];
  readonly goto: (url: string) => readonly string[];
  readonly eval: (script: string) => readonly string[];
  readonly snapshot: readonly string[];
  readonly click: (ref: string) => readonly string[];
  readonly fill: (ref: string, text: string) => readonly string[];
  readonly tabs: readonly string[];
  readonly upload: (ref: string, file: string) => readonly string[];
  /** What a file field with the label Picture is called. */
  readonly fileField: string;
  /** To the tab that a page has opened, and back to the first; absent where commands follow by themselves. */
  readonly popupTab?: readonly string[];
  readonly mainTab?: readonly string[];
  /** Several commands in one call. */
  readonly batch: (commands: readonly (readonly string[])[]) => readonly string[];
  readonly close: readonly string[];
  /** The ref in a snapshot's line, as it is typed. */
  readonly ref: RegExp;
}

export interface Ran {
  readonly ms: number;
  readonly out: string;
  /** What an agent writes: the words after the program. */
  readonly typed: string;
}

export interface Driver extends Dialect {
  /** Where it runs. */
  readonly folder: string;
  run(words: readonly string[]): Promise<Ran>;
  /** The ref of the nth element with that role and name. */
  refOf(snapshot: string, role: string, name: string, nth?: number): string;
  end(): Promise<void>;
}

export async function openDrivers(context: BenchmarkContext): Promise<readonly Driver[]> {
  const chromium = Bun.which("chromium") ?? Bun.which("google-chrome");
  if (!chromium) throw new Error("There is no Chromium on PATH: apt-get install chromium");
  const devflow = await freshExecutable(context.root);
  const rivals = findRivals(context);
  return [ours(devflow), ...(rivals === undefined ? [] : peers(rivals, chromium))].map((dialect) => driverOf(dialect));
}

function driverOf(dialect: Dialect): Driver {
  const home = mkdtempSync(join(tmpdir(), "df-bench-"));
  writeFileSync(join(home, "playwright.json"), playwrightConfig);
  const env = { PATH: process.env.PATH ?? "", HOME: home, XDG_RUNTIME_DIR: home, CI: "1", ...dialect.env };
  const run = async (words: readonly string[]): Promise<Ran> => {
    const started = Bun.nanoseconds();
    const child = Bun.spawn([...dialect.argv, ...words], {
      cwd: home,
      env,
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    const [out, error, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ]);
    const ms = (Bun.nanoseconds() - started) / 1e6;
    if (code !== 0) throw new Error(`${dialect.name} ${words.join(" ")} ended with ${code}: ${out}${error}`);
    return { ms, out, typed: words.join(" ") };
  };
  return {
    ...dialect,
    folder: home,
    run,
    refOf(snapshot, role, name, nth = 0) {
      const lines = snapshot.split("\n").filter((line) => line.includes(`${role} "${name}"`));
      const ref = dialect.ref.exec(lines[nth] ?? "")?.[1];
      if (ref === undefined) throw new Error(`${dialect.name} does not list ${role} "${name}" number ${nth}`);
      return ref;
    },
    async end() {
      await run(dialect.close).catch(() => {});
      // Some answer before their daemon has finished writing.
      for (let tries = 0; existsSync(home) && tries < 20; tries++) {
        rmSync(home, { recursive: true, force: true, maxRetries: 5 });
        await Bun.sleep(200);
      }
    },
  };
}

function ours(devflow: string): Dialect {
  const browse = (...words: string[]) => ["browse", ...words];
  return {
    name: "devflow",
    argv: [devflow],
    env: {},
    cold: (url) => [browse("goto", url)],
    goto: (url) => browse("goto", url),
    eval: (script) => browse("js", script),
    snapshot: browse("snapshot", "-i"),
    click: (ref) => browse("click", ref),
    fill: (ref, text) => browse("fill", ref, text),
    tabs: browse("tabs"),
    upload: (ref, file) => browse("upload", ref, file),
    fileField: "Picture",
    popupTab: browse("tab", "t2"),
    batch: (commands) => browse("chain", ...commands.map((words) => words.slice(1).join(" "))),
    close: browse("stop"),
    ref: /(@e\d+)/,
  };
}

const playwrightConfig = JSON.stringify({
  browser: { browserName: "chromium", launchOptions: { headless: true, chromiumSandbox: false } },
});

const noBatch = (): never => {
  throw new Error("it has no such command");
};

function peers(modules: string, chromium: string): Dialect[] {
  const platform = `${process.platform}-${process.arch}`;
  const agentBrowser = join(modules, `agent-browser/bin/agent-browser-${platform}`);
  chmodSync(agentBrowser, 0o755);
  const start = ["--executablePath", chromium, "--chromeArg=--no-sandbox", "--headless", "--isolated"];
  return [
    {
      name: "agent-browser",
      argv: [agentBrowser],
      env: { AGENT_BROWSER_EXECUTABLE_PATH: chromium, AGENT_BROWSER_ARGS: "--no-sandbox" },
      cold: (url) => [["open", url]],
      goto: (url) => ["open", url],
      eval: (script) => ["eval", script],
      snapshot: ["snapshot", "-i"],
      click: (ref) => ["click", ref],
      fill: (ref, text) => ["fill", ref, text],
      tabs: ["tab", "list"],
      upload: (ref, file) => ["upload", ref, file],
      fileField: "Picture",
      popupTab: ["tab", "t2"],
      mainTab: ["tab", "t1"],
      batch: (commands) => ["batch", ...commands.map((words) => words.join(" "))],
      close: ["close"],
      ref: /ref=(\w+)/,
    },
    {
      name: "playwright-cli",
      argv: ["node", join(modules, "@playwright/cli/playwright-cli.js")],
      env: { PLAYWRIGHT_MCP_EXECUTABLE_PATH: chromium },
      cold: (url) => [["open", url, "--config", "playwright.json"]],
      goto: (url) => ["goto", url],
      eval: (script) => ["eval", script],
      snapshot: ["snapshot"],
      click: (ref) => ["click", ref],
      fill: (ref, text) => ["fill", ref, text],
      tabs: ["tab-list"],
      upload: noBatch,
      fileField: "Picture",
      batch: noBatch,
      close: ["close"],
      ref: /ref=(\w+)/,
    },
    {
      name: "chrome-devtools",
      argv: ["node", join(modules, "chrome-devtools-mcp/build/src/bin/chrome-devtools.js")],
      env: { CHROME_DEVTOOLS_MCP_NO_USAGE_STATISTICS: "1" },
      cold: (url) => [
        ["start", ...start],
        ["navigate_page", "1", "--url", url],
      ],
      goto: (url) => ["navigate_page", "1", "--url", url],
      eval: (script) => ["evaluate_script", `() => (${script})`, "--pageId", "1"],
      snapshot: ["take_snapshot", "1"],
      click: (ref) => ["click", "1", ref],
      fill: (ref, text) => ["fill", "1", ref, text],
      tabs: ["list_pages"],
      upload: noBatch,
      fileField: "Picture",
      batch: noBatch,
      close: ["stop"],
      ref: /uid=(\w+)/,
    },
  ];
}
