/** Receipts on real pages. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Bench, openBench } from "../../testing/bench.ts";
import { html } from "../../testing/bench-site.ts";

let bench: Bench;
beforeAll(async () => {
  bench = await openBench({
    "/page": html(`
      <button id=late>Load</button><button id=debounced>Debounced</button><button id=throws>Throw</button>
      <button id=fails>Fail</button><button id=idle>Idle</button><button disabled>Off</button>
      <button id=modal>Ask</button><a href="/other">Go on</a><a href="/broken">Broken link</a>
      <div style="position:relative;width:120px;height:30px"><button>Covered</button>
        <div id=toast class=toast style="position:absolute;inset:0;background:#eee">Cookies?</div></div>
      <div style="position:relative;width:120px;height:30px"><button id=soon>Soon free</button>
        <div id=fade style="position:absolute;inset:0;background:#eee"></div></div>
      <p id=out></p><div id=dialog role=dialog aria-label="Sure?" hidden><button>Yes</button></div>
      <div style="height:3000px"></div>
      <script>
        late.onclick = async () => { const answer = await fetch('/slow'); out.textContent = await answer.text(); };
        debounced.onclick = () => setTimeout(() => out.textContent = 'after a while', 50);
        throws.onclick = () => { throw new Error('it broke'); };
        fails.onclick = () => fetch('/broken');
        modal.onclick = () => { dialog.hidden = false; dialog.querySelector('button').focus(); };
        soon.onmouseover = null; setTimeout(() => fade.remove(), 300);
        soon.onclick = () => soon.textContent = 'Freed';
      </script>`),
    "/renders": html(`<div id=root></div><div id=toasts></div><script>
      let step = 0;
      const render = () => root.innerHTML = '<ul><li>Product A</li><li>Product B</li></ul><p>Step ' + step + '</p><button onclick="step++; render()">Next</button><button onclick="toast()">Toast</button>';
      const toast = () => toasts.innerHTML = '<p>Saved</p><p>for now</p>';
      render();
      </script>`),
    "/form": html(`<form action="/other"><input aria-label=Name><button>Send</button></form>
      <form action="/other" onsubmit="event.preventDefault(); said.textContent = 'Not sent'"><button>Keep</button></form><p id=said></p>`),
    "/slow": () => new Promise<string>((resolve) => setTimeout(() => resolve("slow answer"), 250)),
    "/other": html("<h1>Elsewhere</h1>", "Other page"),
    "/broken": ({ response }) => {
      response.statusCode = 503;
      return html("<h1>Broken</h1>", "Broken");
    },
  });
});
afterAll(() => bench.close());

test("the receipt waits for an effect that needs the network", async () => {
  const page = await bench.visit("/page");
  expect(await page.text("click", "#late")).toContain('+ "slow answer"');
});

test("the receipt includes an effect that comes a little later", async () => {
  const page = await bench.visit("/page");
  expect(await page.text("click", "#debounced")).toContain('+ "after a while"');
});

test("errors in the console and failed requests are part of the receipt", async () => {
  const page = await bench.visit("/page");
  expect(await page.text("click", "#throws")).toContain('console error: "it broke"');
  expect(await page.text("click", "#fails")).toContain(`request failed: GET ${bench.site.url("/broken")} 503`);
});

test("the receipt reports what opened and where the focus went", async () => {
  const page = await bench.visit("/page");
  const receipt = await page.text("click", "#modal");
  expect(receipt).toMatch(/\+ @e\d+ dialog "Sure\?"\n\+ {3}@e\d+ button "Yes" \[focused\]$/);
});

test("following a link reports the new URL and title instead of a full diff", async () => {
  const page = await bench.visit("/page");
  const receipt = await page.text("click", "link:Go on");
  expect(receipt.split("\n").slice(1)).toEqual([
    "url → /other",
    'new page "Other page":',
    '  heading "Elsewhere" [level 1]',
  ]);
});

test("following a link to a page that fails reports the failed request", async () => {
  const page = await bench.visit("/page");
  expect(await page.text("click", "link:Broken link")).toContain(
    `request failed: GET ${bench.site.url("/broken")} 503`,
  );
});

test("a covered element is not clicked, and the error names what covers it, with a ref", async () => {
  const page = await bench.visit("/page");
  const refused = await page.run("click", "button:Covered").catch((error: Error) => error.message);
  expect(refused).toMatch(
    /^@e\d+ button "Covered" is covered by @e\d+ <div#toast\.toast> "Cookies\?"; nothing was clicked\.$/,
  );
  const cover = /covered by (@e\d+)/.exec(String(refused))?.[1] ?? "";
  expect(await page.text("attrs", cover)).toContain('class="toast"');
});

test("a click waits for a cover that goes away by itself", async () => {
  const page = await bench.visit("/page");
  expect(await page.text("click", "#soon")).toContain('"Soon free" → "Freed"');
});

test("a disabled element fails with what to do next", async () => {
  const page = await bench.visit("/page");
  const error = await page.run("click", "button:Off").catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    code: "browse_action_failed",
    message: expect.stringMatching(/button "Off": it is disabled\.$/),
  });
}, 30_000);

test("scrolling says where the view is now, of how much", async () => {
  const page = await bench.visit("/page");
  expect(await page.text("scroll", "--by", "500")).toMatch(/^scrolled the page to 500 of \d+$/);
  expect(await page.text("scroll", "bottom")).toMatch(/^scrolled the page to (\d+) of \1/);
});

test("what the page did on its own between two actions is told, and is no effect of the second", async () => {
  const page = await bench.visit("/page");
  await page.text("click", "#idle");
  await page.text("js", "out.textContent = 'by itself'");
  expect(await page.text("click", "#idle")).toMatch(
    /^meanwhile: \+ "by itself"\nclicked @e\d+ button "Idle"\nno observable effect$/,
  );
});

test("a page that renders itself anew reports what differs, not everything", async () => {
  const page = await bench.visit("/renders");
  const next = /@e\d+ (?=button "Next")/.exec(await page.text("snapshot", "-i"))![0].trim();
  // The button is another one after each step, and its ref follows.
  for (const step of [1, 2, 3]) {
    const receipt = await page.text("click", next);
    expect(receipt.split("\n")).toEqual([
      `clicked ${next} button "Next"`,
      `~ "Step ${step - 1}" → "Step ${step}" in "Product A Product B"`,
    ]);
  }
});

test("an element that is put around others is not reported as all of them", async () => {
  const page = await bench.visit("/renders");
  const receipt = await page.text("click", "button:Toast");
  expect(receipt).toContain("Saved");
  expect(receipt).not.toContain("Product");
});

test("the page that a form leads to is in the receipt, however late Chromium requests it", async () => {
  for (let round = 0; round < 12; round++) {
    const page = await bench.visit("/form");
    await page.text("fill", "textbox:Name", "Ada");
    expect(await page.text("click", "button:Send")).toContain('new page "Other page"');
  }
  const kept = await bench.visit("/form");
  expect(await kept.text("click", "button:Keep")).toContain('+ "Not sent"');
});
