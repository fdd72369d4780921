import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync } from "node:fs";
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

test("text that moved by less than a pixel looks the same", async () => {
  const page = await bench.visit("/", { viewport: { width: 400, height: 300 } });
  await page.run("screenshot", "--compare", "edge.png");
  await page.text("js", "title.style.transform = 'translateX(0.4px)'");
  expect(await page.text("screenshot", "--compare", "edge.png")).toMatch(/It looks like|allowed/);
});
