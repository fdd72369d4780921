import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Bench, openBench } from "../../testing/bench.ts";
import { html } from "../../testing/bench-site.ts";

let bench: Bench;
beforeAll(async () => {
  bench = await openBench({
    "/": html(
      `<h1>Shop</h1><iframe src="/frame" title="Pick" width="500" height="200"></iframe>
      <button onclick="order.showModal()">Open order</button>
      <dialog id="order" aria-label="Order"><label>Name <input id="who"></label>
        <label>Size <select id="size"><option>S</option><option>M</option><option>L</option></select></label>
        <label><input type="checkbox" onchange="send.disabled = !this.checked"> Terms</label>
        <button id="send" disabled>Send</button></dialog><p id="out"></p>
      <script>
        addEventListener('message', (event) => out.textContent = 'picked ' + event.data);
        send.onclick = async () => {
          const answer = await fetch('/order');
          order.close();
          out.textContent = await answer.text() + ' for ' + who.value + ' ' + size.value;
        };
      </script>`,
      "Shop",
    ),
    "/frame": html(`<h2>Pick</h2><iframe src="/deep" width="300" height="80"></iframe>`),
    "/deep": html(`<button onclick="top.postMessage('apple', '*')">Apple</button><button>Pear</button>`),
    "/order": () => new Promise<string>((resolve) => setTimeout(() => resolve("Ordered"), 120)),
  });
});
afterAll(() => bench.close());

test("ten steps through iframes and a modal, by refs only, each with a correct receipt", async () => {
  const page = await bench.visit();
  expect(await page.text("goto", bench.site.url("/"))).toStartWith('HTTP 200 "Shop"');
  expect((await page.text("snapshot", "-i")).split("\n")).toEqual([
    '@e1 iframe: "Pick"',
    '  @e2 iframe: "/deep"',
    '    @e3 button "Apple"',
    '    @e4 button "Pear"',
    '@e5 button "Open order"',
  ]);
  expect(await page.text("click", "@e3")).toContain('+ "picked apple"');
  const opened = await page.text("click", "@e5");
  expect(opened).toContain('dialog "Order"');
  const ref = (words: string): string => new RegExp(`@e\\d+(?= ${words})`).exec(opened)?.[0] ?? "";
  expect(await page.text("fill", ref('textbox "Name"'), "Bob")).toContain('"" → "Bob"');
  expect(await page.text("select", ref('combobox "Size"'), "M")).toContain('"S" → "M"');
  await expect(page.run("click", ref('button "Send"'))).rejects.toThrow("it is disabled");
  expect(await page.text("check", ref('checkbox "Terms"'))).toContain(
    `~ ${ref('button "Send"')} button "Send" [no longer disabled]`,
  );
  const sent = await page.text("click", ref('button "Send"'));
  expect(sent).toContain('"picked apple" → "Ordered for Bob M"');
  expect(sent).toContain('- dialog "Order"');
  await expect(page.run("fill", ref('textbox "Name"'), "Ann")).rejects.toThrow("fill failed on");
});
