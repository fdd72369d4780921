/**
 * Real Chromium, real pages and real commands for this package's tests.
 *
 * - `openBench(routes)` one Chromium and one site for a test file; everything ends with the file. It is the headless shell
 *   where available; with `isWhole` it is the full browser.
 * - `bench.visit(path)` a new tab with that page, of which nothing was read; `run("click", "@e3")` runs a command record as the daemon
 *   would.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { AnyCommand } from "@devflow/core/command";
import { parseCommandLine } from "@devflow/core/command-line";
import { testChromium } from "@devflow/testkit/chromium";
import { type Browser, type BrowserContextOptions, chromium } from "playwright-core";
import type { Answer, AnyBrowseCommand, BrowseSession, Tab, TabScope } from "../src/command.ts";
import { pictureCommands } from "../src/commands/meta/pictures.ts";
import { navigationCommands } from "../src/commands/navigation.ts";
import { readCommands } from "../src/commands/read.ts";
import { writeCommands } from "../src/commands/write.ts";
import { preparePages } from "../src/page-world/ask-page.ts";
import { type Site, type SiteRoute, startSite } from "./bench-site.ts";
import { benchTab } from "./bench-tab.ts";

export interface Visit {
  readonly tab: Tab;
  readonly scope: TabScope;
  /** Runs a command, given as typed after `devflow browse`. */
  run(...words: string[]): Promise<Answer>;
  /** The same, returning only its text. */
  text(...words: string[]): Promise<string>;
  /** The ref in the first line of `snapshot -i` with this text. */
  ref(words: string, ...options: string[]): Promise<string>;
}

export interface Bench {
  readonly site: Site;
  readonly browser: Browser;
  readonly folder: string;
  visit(path?: string, options?: BrowserContextOptions): Promise<Visit>;
  close(): Promise<void>;
}

export async function openBench(
  routes: Readonly<Record<string, SiteRoute>>,
  options: { readonly isWhole?: boolean } = {},
): Promise<Bench> {
  await preparePages();
  const [site, browser, folder] = await Promise.all([
    startSite(routes),
    chromium.launch(testChromium(options)),
    mkdtemp(join(tmpdir(), "dft-browse-")),
  ]);
  return {
    site,
    browser,
    folder,
    async visit(path, options) {
      const context = await browser.newContext({ viewport: { width: 1280, height: 720 }, ...options });
      const visit = makeVisit(benchTab(await context.newPage()), folder);
      if (path !== undefined) {
        await visit.run("goto", path.startsWith("http") ? path : site.url(path), "--until", "dom");
        await visit.tab.page.waitForLoadState("load", { timeout: 2_000 }).catch(() => undefined);
      }
      return visit;
    },
    async close() {
      await browser.close();
      await site.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export const pageCommands: readonly AnyBrowseCommand[] = [
  ...navigationCommands,
  ...readCommands,
  ...writeCommands,
  ...pictureCommands,
];

function makeVisit(tab: Tab, folder: string): Visit {
  const session: BrowseSession = {
    name: "test",
    context: tab.page.context(),
    tabs: () => [tab],
    current: () => tab,
    select: () => tab,
    open: () => Promise.reject(new Error("a visit has one tab")),
    close: () => tab.page.close(),
  };
  const inside = (path: string) => Promise.resolve(resolve(folder, path));
  const scope: TabScope = {
    tab,
    session,
    signal: new AbortController().signal,
    timeLeft: () => 30_000,
    files: { forWriting: inside, forReading: inside },
    policy: { checkUrl: () => undefined },
  };
  const run = async (...words: string[]): Promise<Answer> => {
    const commands = pageCommands.map((command) => ({ ...command, category: "Browse" }) as unknown as AnyCommand);
    const { command, input } = parseCommandLine(words, commands);
    const record = pageCommands.find(({ name }) => name === command?.name);
    if (!record) throw new Error(`There is no browse command in: ${words.join(" ")}`);
    const handler = (await record.handler()) as (input: unknown, scope: TabScope) => Promise<Answer>;
    return handler(input, scope);
  };
  const text = async (...words: string[]) => (await run(...words)).text;
  return {
    tab,
    scope,
    run,
    text,
    async ref(words, ...options) {
      const snapshot = await text("snapshot", "-i", ...options);
      const line = snapshot.split("\n").find((one) => one.includes(words));
      const ref = /@([ec]\d+)/.exec(line ?? "")?.[1];
      if (!ref) throw new Error(`No line of the snapshot contains ${words}:\n${snapshot}`);
      return `@${ref}`;
    },
  };
}
