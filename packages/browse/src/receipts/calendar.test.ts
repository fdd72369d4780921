/** A calendar as libraries build it: a table of days without a name, under its month. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Bench, openBench } from "../../testing/bench.ts";
import { html } from "../../testing/bench-site.ts";

let bench: Bench;
beforeAll(async () => {
  bench = await openBench({
    "/": html(`<button>Choose a day</button><div id=box></div><script>
      const days = Array.from({ length: 31 }, (_, at) => '<td><a href="#' + at + '">' + (at + 1) + '</a></td>');
      const weeks = days.map((day, at) => at % 7 === 0 ? '<tr>' + days.slice(at, at + 7).join('') + '</tr>' : '').join('');
      document.querySelector('button').onclick = () => box.innerHTML = '<div><div><a href="#prev">Prev</a><a href="#next">Next</a>' +
        '<div><span>December</span> <span>2016</span></div></div><table>' + weeks + '</table></div>';</script>`),
    "/table": html(
      `<h2>People</h2><table>${"<tr><td>Ada</td><td><button>Edit person</button></td></tr>".repeat(9)}</table>`,
    ),
  });
});
afterAll(() => bench.close());

test("the month of a calendar is in the receipt of what opened it, and in a snapshot", async () => {
  const page = await bench.visit("/");
  const receipt = await page.text("click", "button:Choose a day");
  expect(receipt).toContain('"December 2016"');
  expect(receipt).toMatch(/… \d+ more to use: snapshot -i/);
  expect(await page.text("snapshot", "-i")).toMatch(/@e\d+ table "December 2016"\n {2}@e\d+ link "1"\n/);
});

test("a table whose controls have names has no line among them", async () => {
  const page = await bench.visit("/table");
  expect(await page.text("snapshot", "-i")).not.toContain("table");
});
