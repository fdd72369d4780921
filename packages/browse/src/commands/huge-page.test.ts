import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Bench, openBench } from "../../testing/bench.ts";
import { html } from "../../testing/bench-site.ts";

let bench: Bench;
beforeAll(async () => {
  bench = await openBench({
    "/huge": html(
      `<main>${Array.from({ length: 400 }, (_, i) => `<section><h2>Part ${i}</h2><ul>${Array.from({ length: 24 }, (_, j) => `<li><a href="#${i}-${j}">Entry ${i}.${j}</a></li>`).join("")}</ul></section>`).join("")}<button onclick="this.textContent='Finished'">The end</button></main>`,
    ),
  });
});
afterAll(() => bench.close());

test("a page of 20,000 elements fits the budget, and its last button is found and clicked", async () => {
  const page = await bench.visit("/huge");
  expect(await page.tab.page.evaluate(() => document.querySelectorAll("*").length)).toBeGreaterThan(20_000);
  const text = await page.text("snapshot");
  expect(text.length).toBeLessThan(17_000);
  const found = await page.text("find", "The end");
  const end = /@e\d+/.exec(found)?.[0] ?? "";
  expect(await page.text("click", end)).toContain('"The end" → "Finished"');
}, 120_000);
