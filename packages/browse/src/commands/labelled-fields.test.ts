/** Checkboxes, radio buttons and file fields that cannot be seen are used through their labels. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Bench, openBench } from "../../testing/bench.ts";
import { html } from "../../testing/bench-site.ts";

const fields = `
  <style>.none { display: none } .unseen { visibility: hidden } .away { position: absolute; left: -9999px }
  .small { position: absolute; width: 1px; height: 1px; overflow: hidden; clip: rect(0, 0, 0, 0) }
  .zero { position: absolute; opacity: 0; width: 0; height: 0 } .over { position: absolute; opacity: 0 }
  .box { display: inline-block; width: 16px; height: 16px }</style>
  <h1>Fields</h1>
  <p><input type=checkbox id=one class=none checked><label for=one>Not displayed</label></p>
  <p><label><input type=checkbox class=unseen><span class=box></span> Invisible</label></p>
  <p><label><input type=checkbox class=away><span class=box></span> Off the page</label></p>
  <p><label><input type=checkbox class=small><span class=box></span> For screen readers</label></p>
  <p><label><input type=checkbox class=zero><span class=box></span> Without a size</label></p>
  <p><label><input type=checkbox class=over><span class=box></span> Transparent</label></p>
  <p><label><input type=radio name=size class=none> Small</label> <label><input type=radio name=size class=none> Large</label></p>
  <p><label for=photo>Photo</label><input type=file id=photo hidden></p>
  <input type=checkbox class=none><p class=none><label><input type=checkbox class=none> Nowhere</label></p>
  <p id=out></p><script>document.onchange = ({ target }) => out.textContent = target.files?.[0]?.name ?? (target.checked ? 'on' : 'off');</script>`;

const lines = [
  'checkbox "Not displayed" [checked]',
  'checkbox "Invisible" [unchecked]',
  'checkbox "Off the page" [unchecked]',
  'checkbox "For screen readers" [unchecked]',
  'checkbox "Without a size" [unchecked]',
  'checkbox "Transparent" [unchecked]',
  'radio "Small"',
  'radio "Large"',
  'button "Photo"',
];

let bench: Bench;
beforeAll(async () => {
  bench = await openBench({
    "/fields": html(fields),
    "/framed": html("<h1>Outside</h1><iframe src=/fields style='width:600px;height:600px'></iframe>"),
  });
});
afterAll(() => bench.close());

const withoutRefs = (text: string) => text.replace(/@[ec]\d+ /g, "").split("\n");

test("a field that cannot be seen has a line in its place, with its own role, state and label", async () => {
  const page = await bench.visit("/fields");
  expect(withoutRefs(await page.text("snapshot", "-i"))).toEqual(lines);
  expect(withoutRefs(await page.text("snapshot", "-i", "-s", "p:nth-of-type(7)"))).toEqual(lines.slice(6, 8));
  const framed = await bench.visit("/framed");
  expect(withoutRefs(await framed.text("snapshot", "-i")).slice(1)).toEqual(lines.map((line) => `  ${line}`));
});

test("it is checked, clicked and filled like any other, by its words or its ref", async () => {
  const page = await bench.visit("/fields");
  expect(await page.text("uncheck", "checkbox:Not displayed")).toContain('"off"');
  expect(await page.text("is", "checked", "checkbox:Not displayed")).toBe("false");
  for (const line of lines.slice(1, 6).map((one) => one.replace(" [unchecked]", ""))) {
    expect(await page.text("check", await page.ref(line))).toContain("[checked]");
    expect(await page.text("click", await page.ref(line))).toContain('"on" → "off"');
    expect(await page.text("click", await page.ref(line))).toContain('"off" → "on"');
  }
  expect(await page.text("click", "radio:Large")).toMatch(/clicked @e\d+ radio "Large" \[checked\]/);
  await writeFile(join(bench.folder, "photo.png"), "picture");
  expect(await page.text("upload", "button:Photo", "photo.png")).toContain("photo.png");
});
