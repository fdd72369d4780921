/**
 * Takes the README's screenshots of the running product.
 *
 *   bun scripts/screenshots.ts               starts a server with the demo in a temporary home, and stops it
 *   bun scripts/screenshots.ts "<link>"      uses the link that `devflow open --print` gave
 *
 * Writes docs/images/home.png, home-dark.png and home-phone.png, and of the demo's run gate.png and run.png: for these the
 * run has to wait at its first gate, and is then completed. If the server has evals: evals.png and eval-compare.png. If an
 * agent's browser runs: browse.png.
 */
import { execFile, execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { openStore } from "@devflow/evals/store";
import { story, storyRuns } from "@devflow/evals/testing";
import { launchChromium, type Page, phone, waitUntilLive, wide } from "@devflow/web/chromium";

const root = join(import.meta.dirname, "..");
const images = join(root, "docs/images");
const pictures = [
  { name: "home", viewport: wide, colorScheme: "light" },
  { name: "home-dark", viewport: wide, colorScheme: "dark" },
  { name: "home-phone", viewport: phone, colorScheme: "light" },
] as const;

/** The page that the agent in the picture sees. */
const shop = `<!doctype html><title>Lamps</title><style>body{font:18px system-ui;margin:3rem;max-width:40rem}
button,input{font:inherit;padding:.4rem .8rem;margin:.3rem 0}article{border:1px solid #ccc;border-radius:8px;padding:1rem;margin:1rem 0}</style>
<h1>Lamps</h1><article><h2>A lamp for reading</h2><p>Warm light, made of brass. 79 €</p>
<button onclick="cart.textContent=1+Number(cart.textContent)">Add the lamp</button></article>
<p>In the cart: <b id="cart">0</b></p><label>Your name <input id="who"></label>
<button onclick="said.textContent='Thank you, '+who.value+'. It is on its way.'">Send the order</button><p id="said"></p>`;

const given = process.argv[2];
if (given) await takePictures(new URL(given).origin, given);
else await withDemoServer((link) => takePictures(new URL(link).origin, link));

/** One sign-in serves all pictures: the tab keeps its token when its appearance changes. */
async function takePictures(origin: string, link: string): Promise<void> {
  mkdirSync(images, { recursive: true });
  const browser = await launchChromium({ isWhole: true });
  try {
    const page = await browser.newPage({ reducedMotion: "reduce", deviceScaleFactor: 2 });
    await page.goto(link);
    await waitUntilLive(page);
    for (const { name, viewport, colorScheme } of pictures) {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.goto(origin);
      await takePicture(page, name);
    }
    await page.setViewportSize(wide);
    await takeRun(page, origin);
    await takeEvals(page, origin);
    await takeBrowse(page, origin);
  } finally {
    await browser.close();
  }
}

async function takePicture(page: Page, name: string): Promise<void> {
  await waitUntilLive(page);
  await page.locator('main [aria-label="Loading"]').first().waitFor({ state: "detached" });
  const path = join(images, `${name}.png`);
  await page.screenshot({ path });
  process.stdout.write(`${path}\n`);
}

/** The demo's run: waiting at its plan, approved twice, completed. */
async function takeRun(page: Page, origin: string): Promise<void> {
  const gate = page.locator('[data-gate-state="pending"]');
  await page.goto(`${origin}/runs`);
  await page.locator("main [data-row]").first().click();
  for (const name of ["gate", undefined]) {
    await gate.waitFor();
    if (name) await takePicture(page, name);
    await gate.getByRole("button", { name: "Approve" }).click();
    await gate.waitFor({ state: "detached" });
  }
  await page.locator('[data-run-state="completed"]').waitFor();
  await page.goto(`${page.url()}?tab=diff`);
  await takePicture(page, "run");
}

async function takeEvals(page: Page, origin: string): Promise<void> {
  await page.goto(`${origin}/evals`);
  await waitUntilLive(page);
  await page.locator('main [aria-label="Loading"]').first().waitFor({ state: "detached" });
  if ((await page.locator("[data-eval-run]").count()) === 0) return;
  await takePicture(page, "evals");
  const sides = `a=commit:${story.lastGood}&b=commit:${story.brokenBy}`;
  await page.goto(`${origin}/evals/compare?suite=${story.suite}&tier=standard&${sides}`);
  await takePicture(page, "eval-compare");
}

async function takeBrowse(page: Page, origin: string): Promise<void> {
  await page.goto(`${origin}/browse`);
  await waitUntilLive(page);
  await page.locator('main [aria-label="Loading"]').first().waitFor({ state: "detached" });
  const workspace = page.locator("main [data-row]").first();
  if ((await workspace.count()) === 0) return;
  await workspace.click();
  await page.locator("main img").first().waitFor();
  await takePicture(page, "browse");
}

/** An agent's actions in its own browser, up to a receipt worth showing. */
async function useBrowser(devflow: (words: readonly string[]) => Promise<unknown>): Promise<void> {
  const site = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => new Response(shop, { headers: { "content-type": "text/html; charset=utf-8" } }),
  });
  try {
    await devflow(["browse", "goto", site.url.href]);
    await devflow(["browse", "snapshot", "-i"]);
    await devflow(["browse", "fill", "textbox:Your name", "Ada"]);
    await devflow(["browse", "click", "button:Add the lamp"]);
    await devflow(["browse", "click", "button:Send the order"]);
  } finally {
    await site.stop(true);
  }
}

/** Thirty runs with one regression among them. */
async function storeEvals(home: string): Promise<void> {
  const store = await openStore(home);
  for (const run of storyRuns(Date.now())) await store.push(run);
  store.close();
}

async function withDemoServer(use: (link: string) => Promise<void>): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), "devflow-pictures-"));
  // A neutral name for the picture.
  const env = { ...process.env, DEVFLOW_HOME: home, USER: "ada" };
  const program = join(root, "apps/cli/src/main.ts");
  const devflow = (...args: string[]): string =>
    execFileSync(process.execPath, [program, ...args], { env, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
  const cwd = join(home, "lamp-shop");
  mkdirSync(join(cwd, ".git"), { recursive: true });
  const inShop = (args: readonly string[]) => promisify(execFile)(process.execPath, [program, ...args], { env, cwd });
  execFileSync("node", [join(root, "node_modules/vite/bin/vite.js"), "build", "--logLevel", "error"], {
    cwd: join(root, "apps/web"),
    stdio: "inherit",
  });
  try {
    await storeEvals(home);
    await useBrowser(inShop);
    devflow("up", "-d", "--port", "0", "--demo");
    await use(devflow("open", "--print").trim());
  } finally {
    await inShop(["browse", "stop"]);
    devflow("down");
    rmSync(home, { recursive: true, force: true });
  }
}
