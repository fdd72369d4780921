/** What a line says about an element: whether it can be seen, and what it has as its value. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Bench, openBench } from "../../testing/bench.ts";
import { html } from "../../testing/bench-site.ts";

const covering = `<style>.field { position: relative; width: 220px; height: 30px } .field input { width: 100% } .field span { position: absolute; inset: 2px }
  .veil { position: absolute; inset: 0; background: #ddd }</style>`;

let bench: Bench;
beforeAll(async () => {
  bench = await openBench({
    "/covers": html(`${covering}
      <div class=field><input role=combobox aria-label="Cost centre"><span>4711 – Sales</span></div>
      <div class=field><input role=combobox aria-label=Office><span class=select-placeholder>Choose…</span></div>
      <div class=field><input aria-label=Typed value=Mine><span>Other</span></div>
      <div style="position:relative;width:200px"><input aria-label=Under><button>Also under</button><div class=veil>Veil</div></div>
      <div style="height:40px;overflow:auto"><div style="height:400px;padding-top:60px"><button>Scrolled away</button></div></div>
      <fieldset style="position:relative;top:-10px;height:80px"><legend>Next</legend></fieldset>
      <button style="opacity:0">Shows on hover</button>`),
    "/fading":
      html(`<style>#veil { position: fixed; inset: 0; background: #0008 } .out { transition: opacity 200ms; opacity: 0 }
      #busy { position: absolute; inset: 0; background: #ddd; animation: turn 1s linear infinite } @keyframes turn { to { opacity: .8 } }</style>
      <button>Behind</button><div style="position:relative;width:200px"><button>Busy</button><div id=busy></div></div><div id=veil></div>
      <script>veil.onclick = () => { veil.className = 'out'; veil.ontransitionend = () => veil.remove(); };</script>`),
    "/values": html(`
      <div role=slider aria-label=Volume aria-valuenow=30 tabindex=0>o</div>
      <div role=spinbutton aria-label=Amount aria-valuenow=3 aria-valuetext="three pieces" tabindex=0>3</div>
      <div role=scrollbar aria-label=Scroll aria-valuenow=20 tabindex=0>s</div>
      <div role=progressbar aria-label=Upload aria-valuenow=40>.</div><progress aria-label=Copy value=3 max=10></progress>
      <div contenteditable aria-label=Note><p>First line</p><p>second</p></div><div role=textbox contenteditable aria-label=Reply>Thanks</div>
      <div role=listbox aria-label=Numbers tabindex=0><div role=option>One</div><div role=option>Two</div></div>
      <label>Start date <input placeholder=MM/DD/YYYY></label><label>End date <input placeholder=MM/DD/YYYY value=12/31/2026></label>
      <input placeholder=Search>`),
  });
});
afterAll(() => bench.close());

const withoutRefs = (text: string) => text.replace(/@[ec]\d+ /g, "").split("\n");
const linesOf = async (path: string, ...options: string[]) =>
  withoutRefs(await (await bench.visit(path)).text("snapshot", ...options));

test("what lies over a field in its own wrapping is its value or placeholder; what else covers it is named", async () => {
  expect(await linesOf("/covers", "-i")).toEqual([
    'combobox "Cost centre": "4711 – Sales"',
    'combobox "Office" [placeholder "Choose…"]',
    'textbox "Typed": "Mine"',
    'textbox "Under" [covered by <div.veil> "Veil"]',
    'button "Also under" [covered by <div.veil> "Veil"]',
    'button "Scrolled away"',
    'button "Shows on hover" [transparent]',
  ]);
});

test("while a backdrop fades out, what is behind it is not called covered; what moves for ever is not waited for", async () => {
  const page = await bench.visit("/fading");
  expect(withoutRefs(await page.text("snapshot", "-i"))).toEqual([
    'button "Behind" [covered by <div#veil>]',
    'button "Busy" [covered by <div#veil>]',
  ]);
  await page.tab.page.evaluate("veil.click()");
  expect(withoutRefs(await page.text("snapshot", "-i"))).toEqual([
    'button "Behind"',
    'button "Busy" [covered by <div#busy>]',
  ]);
});

test("sliders, meters, editors and empty fields show their value, words or placeholder", async () => {
  expect(await linesOf("/values", "-i")).toEqual([
    'slider "Volume": "30"',
    'spinbutton "Amount": "three pieces"',
    'scrollbar "Scroll": "20"',
    'editable "Note": "First line second"',
    'textbox "Reply": "Thanks"',
    'listbox "Numbers"',
    '  option "One"',
    '  option "Two"',
    'textbox "Start date" [placeholder "MM/DD/YYYY"]',
    'textbox "End date": "12/31/2026"',
    'textbox "Search"',
  ]);
  const whole = await linesOf("/values");
  expect(whole).toContain('progressbar "Upload": "40"');
  expect(whole).toContain('progressbar "Copy": "30%"');
});
