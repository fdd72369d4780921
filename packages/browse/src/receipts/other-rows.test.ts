/** Tables whose row elements stay while what is in them changes, as libraries filter, sort and page them. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Bench, openBench, type Visit } from "../../testing/bench.ts";
import { html } from "../../testing/bench-site.ts";

/** Row elements are used again, and a pager below is, too. */
const script = `
  const sites = ["Mill Lane", "Dock Street"], states = ["Open", "Done"];
  const all = Array.from({ length: 14 }, (_, at) => ({ no: "WO-" + (100 + at), site: sites[at % 2], state: states[at % 3 ? 1 : 0] }));
  let shown = all, page = 0;
  const size = 6;
  function show() {
    const now = shown.slice(page * size, page * size + size);
    while (body.rows.length > now.length) body.deleteRow(-1);
    while (body.rows.length < now.length) body.insertRow().innerHTML =
      "<td></td><td>Halden Bakery, the one with the long name</td><td>Annual service of the boiler in the cellar</td><td></td><td></td><td><button></button></td>";
    now.forEach(({ no, site, state }, at) => {
      const cells = body.rows[at].cells;
      cells[0].textContent = no; cells[3].textContent = site; cells[4].textContent = state; cells[5].firstChild.textContent = "Edit " + no;
    });
    count.textContent = shown.length + " work orders";
    pages.innerHTML = Array.from({ length: Math.ceil(shown.length / size) }, (_, at) => "<li><a href='#'>" + (at + 1) + "</a></li>").join("");
  }
  filter.onclick = () => { shown = all.filter(({ site }) => site === "Dock Street"); page = 0; show(); };
  sort.onclick = () => { shown = shown.toReversed(); show(); };
  next.onclick = () => { page++; show(); };
  ship.onclick = () => { for (const row of body.rows) row.cells[4].textContent = "Shipped"; };
  show();`;

let bench: Bench;
beforeAll(async () => {
  bench = await openBench({
    "/": html(`<button id=filter>Dock Street only</button> <button id=sort>Sort</button> <button id=ship>Ship all</button>
      <table><thead><tr><th>No</th><th>Customer</th><th>Service</th><th>Site</th><th>State</th><th></th></tr></thead>
      <tbody id=body></tbody></table><p id=count></p><ul id=pages></ul><button id=next>Next page</button>
      <script>${script}</script>`),
    "/cards": html(`<button id=sort>Sort</button><div>${"<div><p></p><p></p></div>".repeat(4)}</div><script>
      const cards = [...document.querySelectorAll("div > div")];
      const show = (names) => cards.forEach((card, at) => { card.children[0].textContent = names[at]; card.children[1].textContent = names[at].length + " letters"; });
      const names = ["Ann", "Robert", "Cy", "Daniel"];
      show(names);
      sort.onclick = () => show(names.toReversed());</script>`),
  });
});
afterAll(() => bench.close());

const row = (no: number, site: string, state: string) =>
  `row "WO-${no} Halden Bakery, the one with the long name Annual service of the boiler in the cellar ${site} ${state}`;
const lines = async (page: Visit, button: string) =>
  (await page.text("click", `button:${button}`))
    .replace(/@e\d+ /g, "")
    .split("\n")
    .slice(1);
const rowsOf = (all: readonly string[]) => all.filter((line) => line.startsWith("= row"));

test("a table that is filtered tells how many there are and its rows as they are now, each once", async () => {
  const page = await bench.visit("/");
  const told = await lines(page, "Dock Street only");
  expect(told).toContain('~ "14 work orders" → "7 work orders"');
  expect(told).toContain("~ table has 6 rows now:");
  expect(rowsOf(told).map((line) => line.slice(0, 13))).toEqual(
    [101, 103, 105, 107, 109, 111].map((no) => `= row "WO-${no}`),
  );
  expect(rowsOf(told)[0]).toStartWith(`= ${row(101, "Dock Street", "Done")}`);
  expect(told.filter((line) => line.includes(" cell "))).toEqual([]);
  expect(told).toContain('=   button "Edit WO-101"');
});

test("its last page has one row, and what is gone from the table is not told row by row", async () => {
  const page = await bench.visit("/");
  await lines(page, "Dock Street only");
  const told = await lines(page, "Next page");
  expect(told).toEqual(["~ table has 1 row now:", `= ${row(113, "Dock Street", "Done")}"`, '=   button "Edit WO-113"']);
});

test("the same cell of all rows is told as a change of these cells", async () => {
  const page = await bench.visit("/");
  const told = await lines(page, "Ship all");
  expect(told[0]).toStartWith('~ cell "Open" → "Shipped" in "WO-100 Halden');
  expect(rowsOf(told)).toEqual([]);
});

test("cards are told like rows, and a list of them has no ref", async () => {
  const page = await bench.visit("/cards");
  expect(await lines(page, "Sort")).toEqual([
    "~ list has 4 rows now:",
    '= listitem "Daniel 6 letters"',
    '= listitem "Cy 2 letters"',
    '= listitem "Robert 6 letters"',
    '= listitem "Ann 3 letters"',
  ]);
});
