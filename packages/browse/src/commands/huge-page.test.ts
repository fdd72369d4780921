import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Bench, openBench } from "../../testing/bench.ts";
import { html } from "../../testing/bench-site.ts";

let bench: Bench;
beforeAll(async () => {
  bench = await openBench({
    "/huge": html(
      `<main>${Array.from({ length: 400 }, (_, i) => `<section><h2>Part ${i}</h2><ul>${Array.from({ length: 24 }, (_, j) => `<li><a href="#${i}-${j}">Entry ${i}.${j}</a></li>`).join("")}</ul></section>`).join("")}<button onclick="this.textContent='Finished'">The end</button></main>`,
    ),
    "/larger": html(
      `<main>${Array.from({ length: 9_000 }, (_, i) => `<div><b>Row ${i}</b><button onclick="this.textContent='Chosen'">Choose ${i}</button></div>`).join("")}</main>`,
    ),
    "/buttons": html(Array.from({ length: 5_000 }, (_, i) => `<button>Button ${i}</button>`).join("")),
    "/text": html(`<p>${"word ".repeat(1_000_000)}</p><button>After it</button>`),
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

test("of a page that is too large to be read whole, what is in view is read, and the rest can be found and used", async () => {
  const page = await bench.visit("/larger");
  const text = await page.text("snapshot", "-i");
  expect(text).toContain('button "Choose 3"');
  expect(text).toMatch(
    /… of 27001 elements only \d+ were read, those in view\. For the others: scroll, find <words>, or a part: snapshot -s @e\d+ main \(\d+ more\)$/,
  );
  const found = await page.text("find", "Choose 8765");
  expect(await page.text("click", /@e\d+/.exec(found)?.[0] ?? "")).toContain('"Choose 8765" → "Chosen"');
  expect(await page.text("snapshot", "-i")).toContain('button "Chosen"');
}, 120_000);

test("thousands of buttons are read the first time as fast as later", async () => {
  const page = await bench.visit("/buttons");
  const time = async () => {
    const start = performance.now();
    await page.text("snapshot", "-i");
    return performance.now() - start;
  };
  const [first, second] = [await time(), await time()];
  expect(first).toBeLessThan(3 * second + 1_000);
}, 120_000);

test("a text of five megabytes does not hide what follows it", async () => {
  const page = await bench.visit("/text");
  const text = await page.text("snapshot");
  expect(text.length).toBeLessThan(2_000);
  expect(text).toContain('button "After it"');
}, 120_000);
