/** Receipts of pages that take a moment. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Bench, openBench } from "../../testing/bench.ts";
import { html } from "../../testing/bench-site.ts";

let bench: Bench;
beforeAll(async () => {
  bench = await openBench({
    "/save":
      html(`<button id=save>Save</button><button id=send>Send</button><button id=once>Once</button><p id=out></p><script>
      save.onclick = () => { save.textContent = 'Saving…'; setTimeout(() => { save.textContent = 'Save'; out.textContent = 'Saved at noon'; }, 700); };
      send.onclick = () => { send.disabled = true; setTimeout(() => { send.remove(); out.textContent = 'Sent at noon'; }, 700); };
      once.onclick = () => setTimeout(() => out.textContent = 'In the cart', 200);</script>`),
    "/route": html(`<main id=view><h1>List</h1><button id=go>New</button></main><script>
      go.onclick = () => { history.pushState(null, '', '/route/new'); setTimeout(() => view.innerHTML = '<h1>New</h1><input aria-label=Title>', 60); };</script>`),
    "/search": html(`<input id=q role=combobox aria-label=Company><div id=list role=listbox></div><script>
      let timer; q.oninput = () => { clearTimeout(timer); timer = setTimeout(async () => list.innerHTML = await (await fetch('/options')).text(), 250); };</script>`),
    "/marked": html(`<input class=ui-autocomplete-input autocomplete=off aria-label=From><input aria-label=Plain>
      <div role=menuitem aria-haspopup=true id=file>File</div><div id=menu hidden><div role=menuitem>Recent</div></div><ul id=airports></ul><script>
      const [from] = document.querySelectorAll('input');
      from.oninput = () => setTimeout(() => airports.innerHTML = '<li>Fort Wayne</li><li>Fort Worth</li>', 300);
      file.onmouseenter = () => setTimeout(() => menu.hidden = false, 300);</script>`),
    "/options": `<div role="option">Initech</div><div role="option">Initrode</div>`,
    "/buy": html(`<a href=/wait>Check out</a>`),
    "/wait": html(
      `<p>Taking you to the payment page…</p><script>setTimeout(() => location.replace('/wait/2'), 300)</script>`,
    ),
    "/basket":
      html(`<header><a href=/pay>Lumen &amp; Oak</a></header><main><h1>Secure checkout</h1><p>Collecting your saved basket…</p></main>
      <script>setTimeout(() => location.replace('/pay'), 900)</script>`),
    "/basket/slow": html(`<a href=/pay>Lumen &amp; Oak</a><p>Collecting your saved basket…</p>`),
    "/upload": html(`<button id=up>Choose</button><div role=status id=said></div><script>
      up.onclick = () => { said.textContent = 'Checking the file…'; setTimeout(() => said.textContent = 'Stored', 4000); };</script>`),
    "/debounced": html(`<label>Order no. <input id=q></label><p id=out></p><script>
      let timer; q.oninput = () => { clearTimeout(timer); timer = setTimeout(async () => { await fetch('/options'); out.textContent = '13 work orders'; }, 400); };</script>`),
    "/wait/2": html(`<p>One moment</p><script>setTimeout(() => location.replace('/pay'), 300)</script>`),
    "/pay": html(`<h1>Pay</h1><button>Pay</button>`, "Pay"),
    "/window": html(`<a href=/pay target=_blank>Terms</a>`),
    "/modal":
      html(`<main id=page><h1>Tickets</h1><table><tr><td>4101</td><td><a href=/1>Wrong address</a></td><td><button id=more>More</button></td></tr></table></main>
      <div id=tray></div><script>
      more.onclick = () => { page.setAttribute('aria-hidden', 'true'); document.body.style.pointerEvents = 'none';
        tray.innerHTML = '<div role=menu style="pointer-events:auto"><button role=menuitem>Delete</button></div>';
        tray.querySelector('button').onclick = () => { page.removeAttribute('aria-hidden'); document.body.style.pointerEvents = ''; tray.innerHTML = ''; }; };</script>`),
    "/announce": html(`<button id=b>Go</button><div role=status id=said></div><script>
      b.onclick = () => said.textContent = '4 results are available. '.repeat(12);</script>`),
  });
});
afterAll(() => bench.close());

test("what a button at work leads to is in its receipt", async () => {
  const page = await bench.visit("/save");
  expect((await page.text("click", "button:Save")).split("\n")).toEqual([
    'clicked @e1 button "Save"',
    '+ "Saved at noon"',
  ]);
  expect(await page.text("click", "button:Send")).toContain('"Saved at noon" → "Sent at noon"');
  expect(await page.text("click", "button:Once")).toContain('"Sent at noon" → "In the cart"');
});

test("a view that a router shows after it changed the URL is in the receipt", async () => {
  const page = await bench.visit("/route");
  const receipt = await page.text("click", "button:New");
  expect(receipt).toContain("url → /route/new");
  expect(receipt).toMatch(/\+ @e\d+ textbox "Title"/);
});

test("a field that a library marks is waited for as a combobox is, and so is a submenu under the mouse", async () => {
  const page = await bench.visit("/marked");
  expect(await page.text("fill", "From", "Fort")).toContain('listitem "Fort Worth"');
  const start = performance.now();
  await page.text("fill", "Plain", "Fort");
  expect(performance.now() - start).toBeLessThan(450);
  expect(await page.text("hover", "File")).toMatch(/\+ @e\d+ menuitem "Recent"/);
});

test("suggestions that are looked up a moment after the last key are in the receipt", async () => {
  const page = await bench.visit("/search");
  expect((await page.text("fill", "combobox:Company", "Init")).split("\n")).toEqual([
    'filled @e1 combobox "Company": "" → "Init"',
    '+ @e2 option "Initech"',
    '+ @e3 option "Initrode"',
  ]);
});

test("pages that only lead on are passed", async () => {
  const page = await bench.visit("/buy");
  expect((await page.text("click", "link:Check out")).split("\n").slice(1)).toEqual([
    "url → /pay",
    'new page "Pay":',
    '  heading "Pay" [level 1]',
    '  @e2 button "Pay"',
  ]);
});

test("a link that opens a window says so on a page without any script", async () => {
  for (let round = 0; round < 5; round++) {
    const page = await bench.visit("/window");
    expect(await page.text("click", "link:Terms")).toMatch(/opened (tab t\d+|a new tab): .*\/pay/);
  }
});

test("what lies behind an open menu is counted, and neither added nor removed", async () => {
  const page = await bench.visit("/modal");
  await page.text("snapshot", "-i");
  expect((await page.text("click", "button:More")).split("\n")).toEqual([
    'clicked @e2 button "More"',
    "+ @e3 menu",
    '+   @e4 menuitem "Delete"',
  ]);
  expect((await page.text("snapshot", "-i")).split("\n")).toEqual([
    '@e4 menuitem "Delete"',
    "… 2 behind what is open, out of reach until it is closed",
  ]);
  expect((await page.text("click", "menuitem:Delete")).split("\n")).toEqual([
    'clicked @e4 menuitem "Delete"',
    '- menu "Delete"',
  ]);
  expect(await page.text("click", "@e2")).toContain("+ @e5 menu");
});

test("a long announcement that is among the changes is not told again", async () => {
  const page = await bench.visit("/announce");
  expect((await page.text("click", "button:Go")).split("\n")).toHaveLength(2);
});

test("a page with a header that only leads on is passed, and one that stays says what to wait for", async () => {
  const page = await bench.visit();
  expect(await page.text("goto", bench.site.url("/basket"))).toContain('button "Pay"');
  expect(await page.text("goto", bench.site.url("/basket/slow"))).toContain(
    "still at work; wait for what comes: wait --change",
  );
});

test("a status that says what is being done is waited for, and named", async () => {
  const page = await bench.visit("/upload");
  expect((await page.text("click", "button:Choose")).split("\n").slice(1)).toEqual([
    '+ status "Checking the file…"',
    "still at work; wait for what comes: wait --change",
  ]);
  expect(await page.text("wait", "--change")).toContain('"Stored"');
});

test("an idle network is one in which nothing was asked for a while after the last command", async () => {
  const page = await bench.visit("/debounced");
  await page.text("fill", "Order no.", "Brightwater");
  expect(await page.text("wait", "--idle")).toContain('"13 work orders"');
});
