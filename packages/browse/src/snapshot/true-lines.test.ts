/** What a line says of panels, rows, fields, icons, and of what has no words. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Bench, openBench } from "../../testing/bench.ts";
import { html } from "../../testing/bench-site.ts";
import { labelPlace } from "./annotate.ts";

const colours = Array.from({ length: 12 }, (_, at) => `rgb(0, ${20 * at}, 0)`);
const listens =
  "for (const one of [...document.querySelectorAll('.cell')].reverse()) one.addEventListener('click', () => {})";

/** They differ in their last cells. */
const orders = ["Tue, 12 Jan 2027", "Mon, 25 Jan 2027", "Fri, 29 Jan 2027"].map((day, at) => [
  "Halden Bakery",
  "Mill Lane 41 (production)",
  "Annual boiler service",
  day,
  ["Scheduled", "On hold", "Done"][at]!,
]);
const orderRows = orders.map((order) => `row "${order.join(" ")}"`);

let bench: Bench;
beforeAll(async () => {
  bench = await openBench({
    "/accordion": html(`
      <div role=tablist><h3 role=tab id=one aria-expanded=false>One</h3><div id=first role=tabpanel aria-labelledby=one hidden>Some <b>bold</b> words</div>
      <h3 role=tab id=two aria-expanded=false>Two</h3><div id=second role=tabpanel aria-labelledby=two hidden>Other words</div></div>
      <section aria-label=Total>12 €</section>
      <script>const open = (panel) => { for (const one of [first, second]) { one.hidden = one !== panel && one.hidden; one.ariaHidden = String(one !== panel); } };
      one.onclick = () => open(first); two.onclick = () => open(second);</script>`),
    "/sliding": html(`
      <button id=hide>Hide</button><div id=panel role=tabpanel aria-label=Panel style="height:0;overflow:hidden">Words of it</div>
      <script>hide.onclick = () => { panel.style.height = '20px'; panel.ariaHidden = 'true'; panel.ariaLabel = null; hide.textContent = 'Hiding'; };</script>`),
    "/cells": html(`<style>body { margin: 0 } .cell { display: inline-block; width: 16px; height: 16px }</style>
      <h1>Shades</h1><div style="width:100px;line-height:0">${colours.map((colour) => `<span class=cell style="background:${colour}"></span>`).join("")}</div>
      <button>Between</button><div style="line-height:0"><i class=cell></i><i class=cell></i></div><b class=cell></b><script>${listens}</script>`),
    "/drawing":
      html(`<svg width=90 height=30><circle class=cell cx=15 cy=15 r=9 fill=red /><circle class=cell cx=45 cy=15 r=9 fill=blue /></svg>
      <canvas id=board width=40 height=40></canvas><script>${listens}</script>`),
    "/spaces": html(
      `<textarea aria-label=Text></textarea><input aria-label=Name value=" a  b "><input aria-label=Copy><button onclick="document.querySelector('textarea').value = 'Two words '">Fill</button>`,
    ),
    "/breaks": html(`<dl><dt>To</dt><dd>Kongens gate 24<br>7012 Trondheim<br><br>Norway</dd></dl>
      <p><b>Drop a picture</b> or <u>browse</u><br><small>PNG only</small></p><a href="#x"><span>Ada<br>Lovelace</span></a>`),
    "/icons": html(`<style>i, span { display: inline-block; width: 16px; height: 16px }</style>
      <p>Press the <i class="fa fa-gear"></i> button.</p><p>Or <b>this</b> one: <span class="ui-icon ui-icon-disk"></span>, now.</p><p>Not <span></span> this.</p>
      <button><i class="fa fa-trash"></i> Delete</button><p><i class="fa fa-star"></i> Rated</p>`),
    "/formats": html(`
      ${["date", "time", "month", "week", "color", "datetime-local", "number", "range", "text"].map((type) => `<input type=${type} aria-label=${type}>`).join("")}
      <select multiple aria-label=Many><option>A</option></select><select size=2 aria-label=One><option>A</option></select>
      <div role=listbox aria-multiselectable=true aria-label=Drawn><div role=option>A</div></div>`),
    "/scrolled":
      html(`<style>body { margin: 0 } li { height: 30px; cursor: pointer } .cut { height: 20px; overflow: hidden }</style>
      <ul style="height:75px;overflow:auto;margin:0">${["A", "B", "C", "D", "E"].map((name) => `<li onclick=1>Row ${name}</li>`).join("")}</ul><button style="height:40px">Search</button>
      <div class=cut><div style="height:20px"></div><button>Cut off</button></div>`),
    "/unreachable": html(`<button onclick="menu.hidden = false">Menu</button>
      <ul id=menu role=menu hidden><li><div role=menuitem>Save</div></li><li style="pointer-events:none"><div role=menuitem aria-disabled=true>Print</div></li></ul>`),
    "/rows":
      html(`<button onclick="boxes.innerHTML = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13].map((at) => '<div><label><input type=checkbox>Box ' + at + '</label></div>').join('')">Show</button><div id=boxes></div>
      <ul><li><label><input type=checkbox> Sugar</label></li><li><a href=/x>Link</a></li><li><a href=/y>Other</a> with words</li></ul>`),
    "/orders": html(`<button onclick="list.hidden = false">Show</button><table><tbody id=list hidden>${orders
      .map((order) => `<tr>${order.map((cell) => `<td>${cell}</td>`).join("")}<td><button>Edit</button></td></tr>`)
      .join("")}</tbody></table><script>if (location.search === "?pressed") {
        list.hidden = false; for (const row of list.rows) row.style.cursor = "pointer"; }</script>`),
    "/dialog":
      html(`<div role=dialog id=box>Words<button>OK</button></div><ul tabindex=0><li style="cursor:pointer"><div>Choice</div></li></ul>
      <script>box.addEventListener('mousedown', () => {});</script>`),
  });
});
afterAll(() => bench.close());

const withoutRefs = (text: string) => text.replace(/@[ec]\d+ /g, "").split("\n");
const linesOf = async (path: string, ...options: string[]) =>
  withoutRefs(await (await bench.visit(path)).text("snapshot", ...options));

test("a panel or region with a name shows its words, too", async () => {
  const page = await bench.visit("/accordion");
  expect(withoutRefs(await page.text("click", "One"))).toContain('+ tabpanel "One": "Some bold words"');
  const lines = withoutRefs(await page.text("snapshot"));
  expect(lines).toContain('region "Total": "12 €"');
  expect(lines).toContain('  tabpanel "One": "Some bold words"');
});

test("a panel that closes is not told as one that lost its name, and one that opens is told with its words", async () => {
  const page = await bench.visit("/accordion");
  await page.run("click", "One");
  expect(withoutRefs(await page.text("click", "Two"))).toEqual([
    'clicked tab "Two"',
    '+ tabpanel "Two": "Other words"',
  ]);
});

test("a panel that is hidden from readers while it closes is not told as a new one", async () => {
  const page = await bench.visit("/sliding");
  const receipt = await page.text("click", "Hide");
  expect(receipt).toContain('"Hide" → "Hiding"');
  expect(receipt).not.toContain("tabpanel");
});

test("what can be clicked is listed in the order of the page, however many stand side by side", async () => {
  const page = await bench.visit("/cells");
  const refs = (await page.text("snapshot", "-i")).match(/@c\d+(?= clickable <span)/g)!;
  const styles = await Promise.all(refs.map(async (ref) => /rgb\(.*?\)/.exec(await page.text("attrs", ref))?.[0]));
  expect(styles).toEqual(colours);
});

test("what has no words and the same hint is told apart by its colour, or else by its place", async () => {
  const lines = await linesOf("/cells", "-i");
  expect(lines.slice(0, 2)).toEqual(["clickable <span.cell> #000000", "clickable <span.cell> #001400"]);
  expect(lines[12]).toBe('button "Between"');
  expect(lines[13]).toMatch(/^clickable <i\.cell> at 0,\d+$/);
  expect(lines[14]).toMatch(/^clickable <i\.cell> at 16,\d+$/);
  expect(lines[15]).toBe("clickable <b.cell>");
  const { nodes } = (await (await bench.visit("/cells")).run("snapshot", "-i")).data as { nodes: { hint?: string }[] };
  expect(nodes[11]?.hint).toBe("<span.cell> #00dc00");
  expect((await linesOf("/drawing", "-i")).slice(0, 2)).toEqual([
    "clickable <circle.cell> #ff0000",
    "clickable <circle.cell> #0000ff",
  ]);
});

test("a screenshot with refs has a box for what can be clicked without having a role, its label beside what is small", async () => {
  const page = await bench.visit("/cells");
  const [plain, annotated] = [join(bench.folder, "plain.png"), join(bench.folder, "refs.png")];
  await page.run("screenshot", plain);
  await page.run("snapshot", "-i", "-a", annotated);
  const red = async (path: string) => {
    const data = `data:image/png;base64,${(await readFile(path)).toString("base64")}`;
    return await page.tab.page.evaluate(async (url) => {
      const image = await createImageBitmap(await (await fetch(url)).blob());
      const pen = new OffscreenCanvas(image.width, image.height).getContext("2d")!;
      pen.drawImage(image, 0, 0);
      const box = document.querySelectorAll("span")[11]!.getBoundingClientRect();
      const at = (x: number, y: number) => [...pen.getImageData(x, y, 1, 1).data.slice(0, 3)].join();
      return [at(box.x - 1, box.y + 8), at(box.x + 8, box.y + 8)];
    }, data);
  };
  expect((await red(plain))[0]).not.toBe("208,2,27");
  expect(await red(annotated)).toEqual(["208,2,27", "0,220,0"]);
  expect(labelPlace({ ref: "c1", box: { x: 0, y: 50, width: 16, height: 16 } })).toBe("above");
  expect(labelPlace({ ref: "c1", box: { x: 0, y: 2, width: 16, height: 16 } })).toBe("below");
  expect(labelPlace({ ref: "c1", box: { x: 0, y: 2, width: 90, height: 30 } })).toBe("inside");
});

test("a field's value keeps its spaces, in snapshots, receipts, forms and JSON", async () => {
  const page = await bench.visit("/spaces");
  expect(await page.text("click", "Fill")).toContain('textbox "Text": "" → "Two words "');
  expect(withoutRefs(await page.text("snapshot", "-i"))).toContain('textbox "Text": "Two words "');
  expect(withoutRefs(await page.text("snapshot"))).toContain('textbox "Name": " a  b "');
  expect(await page.text("fill", "Copy", "Two words ")).toContain('filled @e4 textbox "Copy": "" → "Two words "');
  expect(await page.text("fill", "Copy", "Two words")).toContain('"Two words " → "Two words"');
  expect(await page.text("forms")).toContain('"Text": "Two words "');
  const { nodes } = (await page.run("snapshot")).data as { nodes: { name?: string; value?: string }[] };
  expect(nodes.find(({ name }) => name === "Name")?.value).toBe(" a  b ");
});

test("an icon in a sentence is named in it; one beside the words of a button or line is not", async () => {
  expect(await linesOf("/icons")).toEqual([
    '"Press the <i.fa-gear> button."',
    '"Or this one: <span.ui-icon-disk> , now."',
    '"Not this."',
    'button "Delete"',
    '"Rated"',
  ]);
});

test("fields whose text must have a certain form say which, and lists that take several options say so", async () => {
  expect((await linesOf("/formats", "-i")).filter((line) => !line.startsWith("  "))).toEqual([
    'textbox "date" [date]',
    'textbox "time" [time]',
    'textbox "month" [month]',
    'textbox "week" [week]',
    'textbox "color" [color]: "#000000"',
    'textbox "datetime-local" [datetime-local]',
    'spinbutton "number"',
    'slider "range": "50"',
    'textbox "text"',
    'listbox "Many" [multiple]',
    'listbox "One"',
    'listbox "Drawn" [multiple]',
  ]);
});

test("rows of a list that scrolls have no mark wherever they are; what a container cuts off has one", async () => {
  expect(await linesOf("/scrolled", "-i")).toEqual([
    ...["A", "B", "C", "D", "E"].map((name) => `listitem "Row ${name}"`),
    'button "Search"',
    'button "Cut off" [off-screen]',
  ]);
});

test("a receipt does not call an item hidden that can be seen but not clicked", async () => {
  const page = await bench.visit("/unreachable");
  expect(withoutRefs(await page.text("click", "Menu"))).toEqual([
    'clicked button "Menu"',
    "+ menu",
    '+   menuitem "Save"',
    '+   menuitem "Print" [disabled]',
  ]);
  expect(withoutRefs(await page.text("snapshot", "-i"))).toContain('menuitem "Print" [disabled] [no pointer]');
});

test("a row with one control and no other words is that control", async () => {
  const page = await bench.visit("/rows");
  expect(withoutRefs(await page.text("snapshot"))).toEqual([
    'button "Show"',
    "list",
    '  checkbox "Sugar" [unchecked]',
    '  link "Link"',
    "  listitem",
    '    link "Other"',
    '    "with words"',
  ]);
  expect((await page.text("click", "Show")).match(/checkbox "Box \d+"/g)).toHaveLength(13);
});

test("a row is known by all of its cells, and so is what is in it", async () => {
  const page = await bench.visit("/orders");
  const receipt = withoutRefs(await page.text("click", "Show"));
  expect(receipt.filter((line) => line.includes("row "))).toEqual(orderRows.map((row) => `+   ${row}`));
  const buttons = withoutRefs(await page.text("snapshot", "-i")).slice(1);
  expect(buttons).toEqual(orders.map((order) => `button "Edit" in "${order.join(" ")}"`));
  expect(await page.text("click", buttons[1]!)).toStartWith("clicked ");
});

test("a row that can be clicked is called by all of its cells", async () => {
  const page = await bench.visit("/orders?pressed");
  const rows = withoutRefs(await page.text("snapshot", "-i")).filter((line) => line.includes("row "));
  expect(rows).toEqual(orderRows);
});

test("a dialog or list that listens for clicks keeps its role, and its controls are listed in it", async () => {
  expect(await linesOf("/dialog", "-i")).toEqual(["dialog", '  button "OK"', 'listitem "Choice"']);
});

test("how to use a drawing is said once", async () => {
  const page = await bench.visit("/drawing");
  const canvas = async () => (await page.text("snapshot", "-i")).split("\n").at(-1);
  expect(await canvas()).toMatch(/^(@e\d+) canvas "board" 40×40: drawn by script; screenshot \1; click \1 at <x,y>$/);
  expect(await canvas()).toMatch(/^@e\d+ canvas "board" 40×40$/);
});

test("a line break stands between words", async () => {
  const lines = (await linesOf("/breaks")).join("\n");
  expect(lines).toContain("Kongens gate 24 7012 Trondheim Norway");
  expect(lines).toContain("or browse PNG only");
  expect(lines).toContain('link "Ada Lovelace"');
});
