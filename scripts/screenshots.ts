/**
 * The pictures of the README, made of the running product and never by hand.
 *
 *   bun scripts/screenshots.ts               starts a server with the demo in a temporary home, and stops it
 *   bun scripts/screenshots.ts "<link>"      uses the link that `devflow open --print` gave
 *
 * Writes docs/images/home.png, home-dark.png and home-phone.png.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launchChromium, phone, waitUntilLive, wide } from "@devflow/web/chromium";

const root = join(import.meta.dirname, "..");
const images = join(root, "docs/images");
const pictures = [
  { name: "home", viewport: wide, colorScheme: "light" },
  { name: "home-dark", viewport: wide, colorScheme: "dark" },
  { name: "home-phone", viewport: phone, colorScheme: "light" },
] as const;

const given = process.argv[2];
if (given) await takePictures(new URL(given).origin, given);
else await withDemoServer((link) => takePictures(new URL(link).origin, link));

/** One sign-in serves all pictures: the tab's token is kept while its look changes. */
async function takePictures(origin: string, link: string): Promise<void> {
  mkdirSync(images, { recursive: true });
  const browser = await launchChromium();
  try {
    const page = await browser.newPage({ reducedMotion: "reduce", deviceScaleFactor: 2 });
    await page.goto(link);
    await waitUntilLive(page);
    for (const { name, viewport, colorScheme } of pictures) {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.goto(origin);
      await waitUntilLive(page);
      await page.locator('main [aria-label="Loading"]').first().waitFor({ state: "detached" });
      const path = join(images, `${name}.png`);
      await page.screenshot({ path });
      process.stdout.write(`${path}\n`);
    }
  } finally {
    await browser.close();
  }
}

async function withDemoServer(use: (link: string) => Promise<void>): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), "devflow-pictures-"));
  const devflow = (...args: string[]): string =>
    execFileSync(process.execPath, [join(root, "apps/cli/src/main.ts"), ...args], {
      // A name for the picture that is nobody's.
      env: { ...process.env, DEVFLOW_HOME: home, USER: "ada" },
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
    });
  execFileSync("node", [join(root, "node_modules/vite/bin/vite.js"), "build", "--logLevel", "error"], {
    cwd: join(root, "apps/web"),
    stdio: "inherit",
  });
  try {
    devflow("up", "-d", "--port", "0", "--demo");
    await use(devflow("open", "--print").trim());
  } finally {
    devflow("down");
    rmSync(home, { recursive: true, force: true });
  }
}
