/** What can be clicked and has no words of its own: icons, pictures, cards. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Bench, openBench } from "../../testing/bench.ts";
import { html } from "../../testing/bench-site.ts";

const icon = "width=10 height=10";

let bench: Bench;
beforeAll(async () => {
  bench = await openBench({
    "/icons": html(`
      <style>.fa::before, .glyph::before { content: "\\f1f8" } i, .glyph { display: inline-block; width: 16px; height: 16px }</style>
      <button class="btn btn-icon"><i class="fa fa-trash"></i></button>
      <button class="fa fa-trash fa-lg"></button>
      <a href=/next><i class="bi bi-x"></i></a>
      <button><i class=fa></i> Undo</button>
      <button class="MuiButtonBase-root css-1x2y3z"><svg ${icon} data-testid=CloseIcon></svg></button>
      <button><svg ${icon}><use href="sprite.svg#close"></use></svg></button>
      <button><i class=material-icons>delete</i></button>
      <button class="t flex p-2 hover:bg-red-500 dismiss glyph"></button>
      <button class="css-1x2y3z glyph"></button>
      <button>&#8203;&nbsp;</button>`),
    "/pictures": html(`
      <div onclick=1><img alt="Product 4" ${icon}></div><div onclick=1><svg ${icon}><title>Gear</title><path d="M0 0h9v9z"/></svg></div>
      <div onclick=1><svg ${icon} aria-label=Arrow><path d="M0 0h9v9z"/></svg></div><div onclick=1><i class="fa-pen" style="display:block;height:9px"></i></div>`),
    "/rows": html(`<style>.tr { display: inline-block; width: 9px; height: 9px }</style>
      <h1>People</h1><table><tr><td>Ann</td><td><span class=tr></span><button>Edit</button></td></tr><tr><td>Bob</td><td><span class=tr></span><button>Edit</button></td></tr></table>
      <div><h4>First</h4><div class="tr heart" tabindex=0></div></div><div><h4>Second</h4><div class="tr heart" tabindex=0></div></div><button>After</button>
      <script>for (const one of document.querySelectorAll('span.tr')) one.addEventListener('click', () => one.closest('tr').remove());</script>`),
    "/many": html(`<style>i { display: inline-block; width: 9px; height: 9px }</style>
      <section id=some><h2>Some</h2><i class=one></i><i class=two></i></section><ul id=all></ul>
      <script>for (let row = 1; row <= 200; row++) { const item = document.createElement('li'); item.innerHTML = 'Row ' + row + ' <i class=pin></i>'; all.append(item); }
      for (const pin of document.querySelectorAll('i')) pin.addEventListener('click', () => document.title = 'Pinned ' + pin.parentNode.textContent);</script>`),
    "/cards": html(`
      <div onclick="document.title = 'card'"><h3>By attribute</h3><p>Some words</p><button>Inner</button></div>
      <div id=listens><h3>By listener</h3><button>Inner</button></div>
      <div tabindex=0><span>By tab</span><input aria-label=Field></div>
      <div onclick=1><input aria-label=Wrapped></div>
      <table><tr onclick=1><td>Row one</td><td>Cell</td></tr><tr onclick=1><td>Row two</td><td><button>Delete</button></td></tr></table>
      <ul id=list><li>Item one</li><li>Item two</li></ul>
      <section id=whole><p>Words</p><a href=/1>Link one</a><a href=/2>Link two</a></section>
      <script>for (const one of [listens, list, whole]) one.addEventListener('click', () => {});</script>`),
    "/react": html(`<div id=root></div><script>
      root.innerHTML = '<main><div class=add>Add one</div><div class=later><i style="display:block;width:9px;height:9px"></i></div><p>Words</p><ul><li>First</li><li class=item>Second</li></ul></main>';
      for (const one of root.querySelectorAll('*')) one.__reactProps$x1 = one.className ? { onClick: () => one.textContent = 'Clicked' } : { children: [] };
      for (const kind of ['click', 'keydown']) root.addEventListener(kind, ({ type, target }) => { for (let at = target; type === 'click' && at !== root; at = at.parentNode) at.__reactProps$x1.onClick?.(); });</script>`),
    "/noise": html(`<section aria-label="Notifications (F8)" tabindex=-1><ol></ol></section><h1>Amounts</h1>
      <div><label for=amount>Amount</label><div onclick=""><div style="opacity:0"><button aria-label=Increase>+</button><button aria-label=Decrease>-</button></div><input id=amount type=number value=3></div></div>
      <div id=wrap><span>EUR</span><input aria-label=Price></div><script>wrap.addEventListener('click', () => {});</script>`),
    "/other-ways":
      html(`<ul><li draggable=true>Drag me</li></ul><div style="display:contents" onclick=1>Without a box</div>
      <div tabindex=0 data-testid=sentinelStart></div><div tabindex=0 style="width:0;height:0;overflow:hidden">Guard</div><button>Last</button>`),
  });
});
afterAll(() => bench.close());

const linesOf = async (path: string, ...options: string[]) => {
  const page = await bench.visit(path);
  return (await page.text("snapshot", "-i", ...options)).replace(/@[ec]\d+ /g, "").split("\n");
};

test("a button with the letter of an icon font has no name, but a hint that says which icon", async () => {
  expect(await linesOf("/icons")).toEqual([
    "button <button i.fa-trash>",
    "button <button.fa-trash>",
    "link <a i.bi-x>",
    'button "Undo"',
    "button <button svg.CloseIcon>",
    "button <button svg.close>",
    'button "delete"',
    "button <button.dismiss>",
    "button <button.glyph>",
    "button <button>",
  ]);
});

test("an icon's letter is no name in JSON either", async () => {
  const page = await bench.visit("/icons");
  const { nodes } = (await page.run("snapshot", "-i")).data as { nodes: { name?: string; hint?: string }[] };
  expect(nodes.slice(0, 4).map(({ name, hint }) => ({ name, hint }))).toEqual([
    { name: undefined, hint: "<button i.fa-trash>" },
    { name: undefined, hint: "<button.fa-trash>" },
    { name: undefined, hint: "<a i.bi-x>" },
    { name: "Undo", hint: undefined },
  ]);
});

test("what has a picture only is called like the picture", async () => {
  expect(await linesOf("/pictures")).toEqual([
    'clickable "Product 4"',
    'clickable "Gear"',
    'clickable "Arrow"',
    "clickable <div i.fa-pen>",
  ]);
});

test("what has no words stands in its place, and is told apart by its row or card", async () => {
  expect(await linesOf("/rows")).toEqual([
    'clickable <span.tr> in "Ann"',
    'button "Edit" in "Ann"',
    'clickable <span.tr> in "Bob"',
    'button "Edit" in "Bob"',
    'clickable <div.heart> in "First"',
    'clickable <div.heart> in "Second"',
    'button "After"',
  ]);
  const page = await bench.visit("/rows");
  expect(await page.text("click", await page.ref('clickable <span.tr> in "Bob"'))).toContain('"Bob');
});

test("what has no words has a hint in JSON, and no name", async () => {
  const page = await bench.visit("/rows");
  const { nodes } = (await page.run("snapshot", "-i")).data as { nodes: Record<string, unknown>[] };
  expect(nodes[0]).toMatchObject({ role: "clickable", hint: "<span.tr>", place: "Ann" });
  expect(nodes[0]).not.toHaveProperty("name");
});

test("a part of a page with many listeners has its own listed, and counts its own", async () => {
  expect(await linesOf("/many", "-s", "#some")).toEqual(["clickable <i.one>", "clickable <i.two>"]);
  expect((await linesOf("/many", "-s", "#all")).at(-1)).toBe(
    "… 200 elements listen for clicks; those without a role: snapshot -i -C",
  );
});

test("what can be clicked without words fits into the budget, and the last line leads to the rest", async () => {
  const page = await bench.visit("/many");
  const text = await page.text("snapshot", "-i", "-C", "--budget", "400");
  expect(text.length).toBeLessThan(1_800);
  const [, more, command] = /clickable ×(\d+) more of \d+.* — (expand @g\d+ [\d-]+)$/m.exec(text) ?? [];
  expect(text.match(/clickable <i\.pin>/g)?.length).toBe(200 - Number(more));
  const next = await page.text(...command!.split(" "));
  expect(next.match(/clickable <i\.pin> in "Row \d+"/g)?.length).toBe(10);
  expect((await page.run("click", /@c\d+/.exec(next)![0])).data).toMatchObject({ effect: true });
});

test("a card with a control in it is listed by its heading, a row once, and neither a wrapping nor a list", async () => {
  expect(await linesOf("/cards")).toEqual([
    'clickable "By attribute"',
    '  button "Inner"',
    'clickable "By listener"',
    '  button "Inner"',
    'clickable "By tab"',
    '  textbox "Field"',
    'textbox "Wrapped"',
    'clickable "Row one Cell"',
    'clickable "Row two"',
    '  button "Delete"',
    'clickable "Item one"',
    'clickable "Item two"',
    'link "Link one"',
    'link "Link two"',
  ]);
  const page = await bench.visit("/cards");
  expect(await page.text("click", await page.ref('clickable "By attribute"'))).toContain('"card"');
});

test("what a framework handles at its root is listed by element, and its root is not", async () => {
  expect(await linesOf("/react")).toEqual(['clickable "Add one"', "clickable <div.later>", 'clickable "Second"']);
  const page = await bench.visit("/react");
  expect(await page.text("click", await page.ref('clickable "Second"'))).toContain('"Clicked"');
});

test("what can be dragged and what has no box of its own are listed; guards of the focus are not", async () => {
  expect(await linesOf("/other-ways")).toEqual([
    'clickable "Drag me" [draggable]',
    'clickable "Without a box"',
    'button "Last"',
  ]);
});

test("an empty region, the hidden buttons of a number field and the wrapping of a field have no line", async () => {
  const page = await bench.visit("/noise");
  const plain = (text: string) => text.replace(/@[ec]\d+ /g, "").split("\n");
  expect(plain(await page.text("snapshot"))).toEqual([
    'heading "Amounts" [level 1]',
    '"Amount"',
    'spinbutton "Amount": "3"',
    '"EUR"',
    'textbox "Price"',
  ]);
  expect(plain(await page.text("snapshot", "-i"))).toEqual(['spinbutton "Amount": "3"', 'textbox "Price"']);
});
