/** Finding lines by their words, on pages that are still loading too. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Bench, openBench } from "../../testing/bench.ts";
import { html } from "../../testing/bench-site.ts";

let bench: Bench;
beforeAll(async () => {
  bench = await openBench({
    "/search": html(`
      <input type=search aria-label="Search" id=q><ul id=out></ul><script>
      q.oninput = async () => {
        await new Promise((next) => setTimeout(next, 150));
        const found = await (await fetch("/people?q=" + q.value)).json();
        out.innerHTML = found.map((one) => "<li>" + one + " <button>Open</button></li>").join("");
      };</script>`),
    "/people": async ({ url }) => {
      await Bun.sleep(700);
      return JSON.stringify(
        ["Ada Lovelace", "Ada Byron"].filter((one) => one.includes(url.searchParams.get("q") ?? "")),
      );
    },
    "/skeleton": html(`<div class="Skeleton-line" style="height:20px">&nbsp;</div><p>Orders</p>`),
    "/cells":
      html(`<table id=people><tr><td>Ada Lovelace</td><td>Wonka</td><td><button>More</button></td></tr></table><script>
      for (const cell of people.querySelectorAll("td")) cell.addEventListener("click", () => {});</script>`),
    "/goods": html(
      ["Socks", "Socks Low"]
        .map((name) => `<article><a href="#${name}">${name}</a> <p>${name}, wool</p> <button>Add</button></article>`)
        .join(""),
    ),
    "/empty": html(`<p>Orders</p>`),
    "/places": html(`
      <h1>Claim</h1><h2>Bank account</h2><p>Confirmed</p><h2>Receipt</h2><p>Missing</p>
      <div role=dialog aria-label="Terms"><p>Be kind</p></div>
      <div id=row1>Row1</div><div id=row2><i></i></div>
      <script>row1.addEventListener("click", () => {}); row2.addEventListener("click", () => {}); row2.title = "Row2";
        row2.style = "width:20px;height:20px";</script>`),
  });
});
afterAll(() => bench.close());

test("words that were just typed are found in what the page loads, not in the field", async () => {
  const page = await bench.visit("/search");
  await page.tab.page.locator("#q").fill("Lovelace");
  expect((await page.text("find", "Lovelace")).split("\n").slice(1)).toEqual([
    expect.stringMatching(/^@e\d+ listitem "Ada Lovelace"$/),
    expect.stringMatching(/^ {2}@e\d+ button "Open"$/),
  ]);
});

test("nothing found on a page that is still loading is no answer yet, and said so", async () => {
  const loading = await bench.visit("/skeleton");
  expect(await loading.text("find", "Ada")).toBe(
    'nothing on the page contains "Ada" so far; the page is still loading',
  );
  const page = await bench.visit("/empty");
  const start = performance.now();
  expect(await page.text("find", "Ada")).toBe('nothing on the page contains "Ada"');
  expect(performance.now() - start).toBeLessThan(1_500);
});

test("a control that is listed with its card is not listed again", async () => {
  const page = await bench.visit("/goods");
  expect((await page.text("find", "Socks Low")).split("\n")).toEqual([
    expect.stringMatching(/^@e\d+ article "Socks Low.*"$/),
    expect.stringMatching(/^ {2}@e\d+ link "Socks Low"$/),
    expect.stringMatching(/^ {2}@e\d+ button "Add"/),
  ]);
});

test("words without a control say what they are under or in", async () => {
  const page = await bench.visit("/places");
  expect(await page.text("find", "confirmed")).toBe('"Confirmed"  under heading "Bank account"');
  expect(await page.text("find", "be kind")).toBe('"Be kind"  in dialog "Terms"');
});

test("a row of cells that listen for clicks is found as a row", async () => {
  const page = await bench.visit("/cells");
  expect((await page.text("find", "wonka")).split("\n")).toEqual([
    expect.stringMatching(/^@e\d+ row "Ada Lovelace Wonka.*"$/),
    expect.stringMatching(/^ {2}@e\d+ button "More"$/),
  ]);
});

test("what can be clicked without a role is found with its ref", async () => {
  const page = await bench.visit("/places");
  expect(await page.text("find", "Row")).toMatch(/^@c\d+ clickable "Row1".*\n@c\d+ clickable "Row2"$/);
});
