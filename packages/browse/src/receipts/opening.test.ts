/** Receipts of what opens slowly list it with refs, and say nothing of boxes without words that come and go beside it. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Bench, openBench } from "../../testing/bench.ts";
import { html } from "../../testing/bench-site.ts";
import { readPageTree } from "../snapshot/page-tree.ts";
import { isOpening, isSign } from "./effect-signs.ts";

let bench: Bench;
beforeAll(async () => {
  const flat = "position:absolute;transform:scaleY(0);opacity:0";
  bench = await openBench({
    "/box": html(`<button aria-haspopup=listbox aria-expanded=false id=box>Site</button>
      <p><span><input type=checkbox role=switch checked style="position:absolute;width:0;height:0;margin:0"><b>On</b></span></p><script>
      box.onclick = () => {
        box.setAttribute('aria-expanded', 'true');
        const list = document.createElement('div');
        list.innerHTML = '<div role=tooltip><div role=listbox><div role=option>Mill Lane</div><div role=option>Station Road</div></div></div>';
        list.style.cssText = '${flat}';
        list.onclick = ({ target }) => { list.remove(); box.append(' in ' + target.textContent); };
        document.body.prepend(document.createElement('div'), list);
        requestAnimationFrame(() => requestAnimationFrame(() => {
          list.style.cssText = 'position:absolute;transition:transform .25s,opacity .25s;transform:scaleY(1)';
        }));
      };</script>`),
    "/menu":
      html(`<div id=search><input aria-label=Search><i id=clear style="cursor:pointer;display:inline-block;width:16px;height:16px"><svg width=9 height=9></svg></i></div>
      <button id=more aria-haspopup=menu aria-expanded=false>More</button><script>
      document.querySelector('input').onblur = () => clear.remove();
      more.onclick = () => setTimeout(() => {
        more.setAttribute('aria-expanded', 'true');
        setTimeout(() => document.body.insertAdjacentHTML('beforeend', '<div role=menu><div role=menuitem>Edit</div></div>'), 60);
      }, 120);</script>`),
    "/still": html(`<button aria-expanded=false onclick="this.setAttribute('aria-expanded', 'true');
      document.body.insertAdjacentHTML('beforeend', '<div id=under style=pointer-events:none><button>Never reached</button></div>')">Open</button>`),
    "/tile": html(
      `<button onclick="tile.remove()">Remove</button><div id=tile style="cursor:pointer;width:20px;height:20px"></div>`,
    ),
  });
});
afterAll(() => bench.close());

test("the options of a list that unfolds have refs in the receipt of the click that opened it", async () => {
  const page = await bench.visit("/box");
  expect((await page.text("click", await page.ref("Site"))).split("\n")).toEqual([
    'clicked @e1 button "Site" [expanded]',
    expect.stringMatching(/^\+ @e\d+ listbox$/),
    expect.stringMatching(/^\+ {3}@e\d+ option "Mill Lane"$/),
    expect.stringMatching(/^\+ {3}@e\d+ option "Station Road"$/),
  ]);
  expect(await page.text("click", "Mill Lane")).not.toContain("tooltip");
});

test("an icon that goes away with the focus does not end the wait for a menu, and is not told", async () => {
  const page = await bench.visit("/menu");
  await page.text("click", "Search");
  expect(await page.text("click", "More")).toMatch(
    /^clicked @e\d+ button "More" \[expanded\]\n\+ @e\d+ menu\n\+ {3}@e\d+ menuitem "Edit"/,
  );
});

test("what stays out of reach is waited for no longer than a transition takes to begin", async () => {
  const page = await bench.visit("/still");
  const start = performance.now();
  expect(await page.text("click", "Open")).toContain('+ button "Never reached"');
  expect(performance.now() - start).toBeLessThan(900);
});

test("a box without words that goes is told where nothing else happened", async () => {
  const page = await bench.visit("/tile");
  expect(await page.text("click", "Remove")).toContain("- clickable");
});

describe("signs of an effect", () => {
  const tree = (...children: unknown[]) => readPageTree([{ role: "generic", ref: "f1e1", children }]);
  const field = { role: "textbox", name: "Search", ref: "f1e3" };
  const icon = { role: "generic", ref: "f1e4", cursor: "pointer", children: [{ role: "img", ref: "f1e5" }] };
  const wrapped = { role: "generic", ref: "f1e2", children: [field, icon] };
  const box = (expanded: boolean) => ({ role: "button", name: "Site", ref: "f1e6", expanded });
  const list = (ref?: string) => ({
    role: "listbox",
    ref,
    children: [{ role: "option", name: "Mill Lane", ref: ref && `${ref}0` }],
  });

  test.each<[string, unknown[], unknown[], boolean]>([
    ["an icon and the wrapping around a field", [wrapped], [field], false],
    ["the same the other way around", [field], [wrapped], false],
    ["words", [field], [field, "Saved"], true],
    ["a control", [field], [field, { role: "button", ref: "f1e9" }], true],
    ["a picture", [field], [field, { role: "img", ref: "f1e9" }], true],
    ["a state", [box(false)], [box(true)], true],
  ])("%s", (_, before, after, expected) => {
    expect(isSign(tree(...before), tree(...after))).toBe(expected);
  });

  test.each<[string, unknown[], unknown[], boolean]>([
    ["options that cannot be reached", [box(false)], [box(true), list()], true],
    ["options that can be reached", [box(false)], [box(true), list("f1e7")], false],
    ["open, and nothing has come", [box(false)], [box(true)], true],
    ["open, and words have come", [box(false)], [box(true), "Nothing found"], false],
    ["closed", [box(true), list("f1e7")], [box(false)], false],
    ["what was out of reach before, in a new wrapping", [field, list()], [wrapped, list()], false],
  ])("opening: %s", (_, before, after, expected) => {
    expect(isOpening(tree(...before), tree(...after), "f1e6")).toBe(expected);
  });
});
