import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Bench, openBench } from "../../testing/bench.ts";
import { html } from "../../testing/bench-site.ts";

let bench: Bench;
beforeAll(async () => {
  bench = await openBench({
    "/": html(`<h1 id=title>Cart</h1><p id=clock style="width:100px">10:00</p><p>Three things</p>`),
  });
});
afterAll(() => bench.close());

test("a page is compared with its baseline; masked parts do not count, others do and are shown in red", async () => {
  const page = await bench.visit("/", { viewport: { width: 400, height: 300 } });
  const compare = () => page.run("screenshot", "--compare", "cart.png", "--mask", "#clock");
  expect((await compare()).text).toStartWith("There was no baseline; this is one now:");
  await page.text("js", "clock.textContent = '11:31'");
  expect(await compare()).toMatchObject({ text: "It looks like cart.png.", data: { same: true } });
  await page.text("js", "title.textContent = 'Order'");
  const { text, data, exit } = await compare();
  expect(text).toMatch(/^\d+ of 120000 pixels differ \([\d.]+ %\)\. In red: .*\.diff\.png$/);
  expect(existsSync((data as { picture: string }).picture)).toBe(true);
  expect(exit).toBe(65);
  expect(await page.text("screenshot", "--compare", "cart.png", "--allow", "5")).toContain("which is allowed");
});

test("a mask counts for a baseline that was taken without it, in the window, the whole page and an element", async () => {
  for (const [at, flags] of [[], ["--full"], ["--target", "body"]].entries()) {
    const page = await bench.visit("/", { viewport: { width: 400, height: 300 }, deviceScaleFactor: 2 });
    const path = `plain-${at}.png`;
    const shoot = (...more: string[]) => page.text("screenshot", ...flags, "--compare", path, ...more);
    await page.text("js", "document.body.style.minHeight = '900px'; scrollTo(0, 20)");
    await shoot();
    await page.text("js", "clock.textContent = '11:31'");
    expect(await shoot("--mask", "#clock")).toBe(`It looks like ${path}.`);
  }
});

test("a baseline that is no picture is refused", async () => {
  const page = await bench.visit("/");
  await writeFile(join(bench.folder, "junk.png"), "not a picture");
  const error = await page.run("screenshot", "--compare", "junk.png").catch((thrown: Error) => thrown.message);
  expect(error).toBe("The baseline is not a picture.");
});

test("text that moved by less than a pixel looks the same", async () => {
  const page = await bench.visit("/", { viewport: { width: 400, height: 300 } });
  await page.run("screenshot", "--compare", "edge.png");
  await page.text("js", "title.style.transform = 'translateX(0.4px)'");
  expect(await page.text("screenshot", "--compare", "edge.png")).toMatch(/It looks like|allowed/);
});

test("of a page that is higher than Chromium can draw, the top is captured and it is said how to see the rest", async () => {
  const page = await bench.visit("/", { viewport: { width: 200, height: 150 }, deviceScaleFactor: 2 });
  await page.text(
    "js",
    `document.body.innerHTML = "<div style=height:100000px></div>"; document.body.style.margin = 0`,
  );
  const { text, data } = await page.run("screenshot", "high.png", "--full");
  expect(text).toContain(
    "\nthe first 8000 of 100000 pixels; for the others: scroll, then screenshot, or a part: screenshot --target @e3",
  );
  expect(data).toMatchObject({ height: { whole: 100_000, shown: 8_000 } });
  // The height in the header of a PNG.
  expect((await readFile(join(bench.folder, "high.png"))).readUInt32BE(20)).toBe(16_000);
});

test("a baseline is a PNG", async () => {
  const page = await bench.visit("/");
  await expect(page.run("screenshot", "--compare", "base.jpg")).rejects.toThrow("A baseline is a PNG.");
});
