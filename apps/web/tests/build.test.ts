/** What the build may weigh and contain. */
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { builtWeb } from "./built-web.ts";

const budgetBytes = 200_000;
const folder = builtWeb();
const html = readFileSync(join(folder, "index.html"), "utf8");
const read = (path: string) => readFileSync(join(folder, path), "utf8");
const assets = readdirSync(join(folder, "assets"));

/** A script and everything it imports before it can run. */
function closure(paths: readonly string[], seen = new Set<string>()): Set<string> {
  for (const path of paths) {
    if (seen.has(path)) continue;
    seen.add(path);
    const imports = [...read(path).matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g)].map(
      ([, name]) => `assets/${name}`,
    );
    closure(imports, seen);
  }
  return seen;
}
const chunk = (name: string) => `assets/${assets.find((file) => file.startsWith(`${name}-`) && file.endsWith(".js"))}`;

test("the first load of the home page is at most 200 kB of compressed script", () => {
  const entries = [...html.matchAll(/<script[^>]*src="\/([^"]+)"/g)].map(([, path]) => path!);
  expect(entries).toHaveLength(2);
  const files = [...closure([...entries, chunk("home-page")])];
  const bytes = files.reduce((sum, file) => sum + gzipSync(read(file)).length, 0);
  expect(files.length).toBeGreaterThan(3);
  expect(bytes).toBeLessThanOrEqual(budgetBytes);
});

test("each screen is a file of its own that the first load of another one does not need", () => {
  const home = closure([chunk("home-page")]);
  for (const name of ["team-page", "settings-page", "now-page", "activity-page", "repository-page"]) {
    expect(assets.some((file) => file.startsWith(`${name}-`))).toBe(true);
    expect(home.has(chunk(name))).toBe(false);
    expect(html).not.toContain(name);
  }
});

test("every asset is named by its content, and the page loads nothing from elsewhere", () => {
  for (const file of assets) expect(file).toMatch(/^[\w-]+-[\w-]{8}\.(js|css|svg|woff2)$/);
  expect(html).not.toMatch(/(?:src|href)="(?!\/)/);
});

test("the sources never turn text into markup or write a style attribute", () => {
  const source = join(import.meta.dirname, "../src");
  const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((file) => /\.tsx?$/.test(file));
  expect(files.length).toBeGreaterThan(40);
  const offenders = files.filter((file) =>
    /dangerouslySetInnerHTML|innerHTML|outerHTML|insertAdjacentHTML|document\.write|style=\{/.test(
      readFileSync(join(source, file), "utf8"),
    ),
  );
  expect(offenders).toEqual([]);
});

test("it is React's production build", () => {
  expect(
    assets
      .filter((file) => file.endsWith(".js"))
      .some((file) => read(`assets/${file}`).includes("Download the React DevTools")),
  ).toBe(false);
});
