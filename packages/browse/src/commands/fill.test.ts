/** What `fill` says about a field is what the field holds. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Bench, openBench, type Visit } from "../../testing/bench.ts";
import { html } from "../../testing/bench-site.ts";
import { dateAs, timeAs } from "./write/date-as.ts";
import { isTaken } from "./write/taken-value.ts";

/** A row of boxes for the characters of a code. */
const row = (id: string, attributes: string) =>
  `<div id="${id}">${Array.from({ length: 4 }, (_, at) => `<input aria-label="${id} ${at + 1}" style="width:30px" ${attributes}>`).join("")}</div>`;

let bench: Bench;
beforeAll(async () => {
  bench = await openBench({
    "/inner": html("inside"),
    "/bio": html("<div contenteditable role=textbox aria-label=Bio>Ceramic <b>artist</b></div>"),
    "/fields": html(`
      <input id=four aria-label="Four" maxlength=4><input id=stubborn aria-label="Stubborn" value="same" onbeforeinput="event.preventDefault()">
      <input id=digits aria-label="Digits" pattern="[0-9]{4}" oninput="this.value = this.value.replace(/\\D/g, '')">
      <input id=money aria-label="Money" oninput="this.value = this.value.replace(/(\\d)(?=(\\d{3})+$)/g, '$1.') + ' €'">
      <input id=pin aria-label="Pin" type=password maxlength=4>
      <input id=late aria-label="Late" oninput="const text = this.value; this.value = ''; setTimeout(() => this.value = text, 40)">
      <div id=tags></div><input id=tag aria-label="Tag" oninput="tags.append(this.value.replace(',', '')); this.value = ''">
      <input id=lost aria-label="Lost" oninput="this.value = ''">
      <div id=editor aria-label="Editor" contenteditable>old</div>
      <input id=iso aria-label="Iso" placeholder="MM/DD/YYYY"><input id=german aria-label="German" placeholder="TT.MM.JJJJ">
      <input id=plain aria-label="Plain" placeholder="When?">`),
    "/parsed": html(`
      <input type=range id=size aria-label="Size" min=0 max=50 step=5 value=20><input type=date id=day aria-label="Day" value="2026-01-02">
      <input type=number id=count aria-label="Count" min=1 max=9 value=3><input type=color id=paint aria-label="Paint">
      <input type=datetime-local id=when aria-label="When">
      <div id=knob role=slider aria-label="Volume" tabindex=0 aria-valuenow=3 style="width:90px;height:20px;background:#ccc"></div>`),
    "/code":
      html(`${row("single", "maxlength=1")}${row("spread", "")}${row("secret", "maxlength=1 type=password")}<script>
      for (const id of ['single', 'secret']) document.getElementById(id).oninput = ({ target }) => target.nextElementSibling?.focus();
      spread.oninput = ({ target }) => { const rest = [...target.value]; for (let box = target; box; box = box.nextElementSibling) box.value = rest.shift() ?? ''; };
    </script>`),
    "/sections": html(`<input id=date aria-label="Start" placeholder="MM/DD/YYYY"><script>
      // Takes one digit at a time, for the part that is selected, as the date fields of component libraries do.
      const empty = ['MM', 'DD', 'YYYY'];
      let parts = [...empty], at = 0, isAll = false;
      const show = () => { date.value = parts.join('/'); };
      date.onfocus = () => { at = 0; show(); };
      date.onbeforeinput = (event) => event.preventDefault();
      date.onkeydown = (event) => {
        const { key, ctrlKey } = event;
        event.preventDefault();
        if (ctrlKey) isAll = key === 'a';
        else if (key === 'ArrowLeft') { at = 0; isAll = false; }
        else if (key === 'Delete') { parts = isAll ? [...empty] : parts.with(at, empty[at]); }
        else if (/^\\d$/.test(key)) {
          const now = /^\\d+$/.test(parts[at]) && parts[at].length < empty[at].length ? parts[at] : '';
          parts[at] = now + key;
          if (parts[at].length === empty[at].length && at < 2) at++;
        }
        show();
      };</script>`),
    "/clock": html(
      `<input type=time id=time aria-label="Time"><input id=picked aria-label="Picked" readonly value=old>`,
    ),
    "/framed": html(`<input id=four aria-label="Four" maxlength=4><iframe src="/inner"></iframe>`),
  });
});
afterAll(() => bench.close());

async function failure(page: Visit, ...words: string[]): Promise<{ message: string; hint: string }> {
  const { message, hint } = (await page.run(...words).catch((thrown: unknown) => thrown)) as Error & { hint: string };
  return { message, hint };
}
const holds = (page: Visit, id: string) => page.text("js", `document.getElementById('${id}').value`);

test.each([
  ["MM/DD/YYYY", "12/31/2026"],
  ["DD.MM.YYYY", "31.12.2026"],
  ["dd/mm/yyyy", "31/12/2026"],
  ["TT.MM.JJJJ", "31.12.2026"],
  ["JJ/MM/AAAA", "31/12/2026"],
  ["YYYY/MM/DD", "2026/12/31"],
  ["D. M. YYYY", "31. 12. 2026"],
  ["Select date", undefined],
  ["First / Last / Name", undefined],
])("2026-12-31 in a field that asks for %s", (format, typed) => {
  expect(dateAs(format, "2026-12-31")).toBe(typed);
});

test("what formatters add does not count, what is missing does", () => {
  expect(isTaken("(030) 123-456", "030123456")).toBe(true);
  expect(isTaken("1,234.50 €", "1234.5")).toBe(true);
  expect(isTaken("1234", "12345")).toBe(false);
  expect(isTaken("", "a")).toBe(false);
  expect(isTaken("a+b", "+")).toBe(true);
  expect(isTaken("", "+")).toBe(false);
});

test("a field that took something else is a failure that says what it holds and what it takes", async () => {
  const page = await bench.visit("/fields");
  expect(await failure(page, "fill", "#four", "abcdef")).toMatchObject({
    message: expect.stringMatching(/^fill failed on @e\d+ textbox "Four": the field holds "abcd" instead\.$/),
    hint: "It takes 4 characters at most; fill it with fewer.",
  });
  const stubborn = await failure(page, "fill", "#stubborn", "other");
  expect(stubborn.message).toContain('the field holds "same" instead');
  expect(stubborn.hint).toMatch(/^Type it key by key: devflow browse type <text> @e\d+$/);
  const digits = await failure(page, "fill", "#digits", "abc");
  expect(digits.message).toContain("the field is empty afterwards");
  expect(digits.hint).toContain("[0-9]{4}");
  expect((await failure(page, "fill", "#lost", "gone")).message).toContain("the field is empty afterwards");
});

test("the value of a secret field is not shown when it was not taken", async () => {
  const page = await bench.visit("/fields");
  const { message, hint } = await failure(page, "fill", "#pin", "canary-4711");
  expect(message).toContain("the field holds 4 characters instead of 11");
  expect(message + hint).not.toContain("cana");
});

test("formatted, late and moved values count as taken, in any kind of field", async () => {
  const page = await bench.visit("/fields");
  expect(await page.text("fill", "#money", "1234567")).toContain('"1.234.567 €"');
  expect(await page.text("fill", "#late", "soon")).toContain('"soon"');
  expect(await page.text("fill", "#tag", "navy,")).toContain('"navy"');
  expect(await page.text("fill", "#editor", "new words")).toContain('"old" → "new words"');
  expect(await page.text("fill", "#editor", "")).toContain("filled");
});

test("a page with frames checks it, too", async () => {
  const page = await bench.visit("/framed");
  expect((await failure(page, "fill", "#four", "abcdef")).message).toContain('the field holds "abcd" instead');
  expect(await page.text("fill", "#four", "abc")).toContain('"abc"');
});

test("a date is typed in the format that the field asks for, and the receipt says so", async () => {
  const page = await bench.visit("/fields");
  expect(await page.text("fill", "#iso", "2026-12-14")).toContain(
    '"" → "12/14/2026"\ntyped as 12/14/2026, which is how the field asks for a date',
  );
  expect(await page.text("fill", "#german", "2026-12-14")).toContain('"14.12.2026"');
  expect(await page.text("fill", "#plain", "2026-12-14")).toEndWith('"2026-12-14"');
});

test("a date field with a place for each part is typed key by key, and emptied", async () => {
  const page = await bench.visit("/sections");
  expect(await page.text("fill", "#date", "2026-12-14")).toContain('→ "12/14/2026"\ntyped as 12/14/2026');
  expect(await page.text("fill", "#date", "2027-01-02")).toContain('→ "01/02/2027"');
  expect((await failure(page, "fill", "#date", "14.12.2026")).hint).toContain("Give the date as 2026-12-31");
  expect(await page.text("fill", "#date", "")).toContain('→ "MM/DD/YYYY"');
});

test("a code goes into all of its boxes, and the receipt shows it", async () => {
  const page = await bench.visit("/code");
  for (const id of ["single", "spread"]) {
    const filled = await page.text("fill", `textbox:${id} 1`, "4711");
    expect(filled).toContain('"" → "4"');
    expect(filled).toMatch(new RegExp(`"${id} 4"[^\n]*"1"`));
  }
  expect(await page.text("fill", "textbox:secret 1", "4711")).not.toMatch(/"4"|"7"/);
  expect(await page.text("js", "[...secret.children].map((box) => box.value).join('')")).toBe("4711");
});

test("what does not fit a date, a range or a number leaves the old value", async () => {
  const page = await bench.visit("/parsed");
  expect(await failure(page, "fill", "#size", "33")).toMatchObject({
    message: expect.stringMatching(/slider "Size": it takes numbers from 0 to 50 in steps of 5\.$/),
    hint: "It still holds 20. Fill it with such a number.",
  });
  expect((await failure(page, "fill", "#day", "31.12.2026")).hint).toContain("Dates are typed as 2026-12-31");
  expect((await failure(page, "fill", "#count", "many")).message).toContain("it takes numbers from 1 to 9");
  expect([await holds(page, "size"), await holds(page, "day"), await holds(page, "count")]).toEqual([
    "20",
    "2026-01-02",
    "3",
  ]);
  for (const [id, value] of [
    ["size", "35"],
    ["count", "5"],
    ["paint", "#FF0000"],
    ["when", "2026-12-31T13:45"],
  ] as const) {
    expect(await page.text("fill", `#${id}`, value)).toContain("filled");
  }
  expect([await holds(page, "paint"), await holds(page, "when")]).toEqual(["#ff0000", "2026-12-31T13:45"]);
});

test("a slider that is no field is moved by keys or by dragging, which the failure says", async () => {
  const page = await bench.visit("/parsed");
  const { message, hint } = await failure(page, "fill", "#knob", "5");
  expect(message).toContain('slider "Volume": it is a slider without a field');
  expect(hint).toMatch(/devflow browse press ArrowRight @e\d+; or drag it/);
});

test("a time is taken without its leading zero, and by the twelve-hour clock", async () => {
  const page = await bench.visit("/clock");
  expect(await page.text("fill", "#time", "5:21")).toContain('"05:21"');
  expect(await page.text("fill", "#time", "5:21 PM")).toContain('"17:21"');
  expect(await page.text("fill", "#time", "12:05 am")).toContain('"00:05"');
  expect((await failure(page, "fill", "#time", "25:00")).message).toContain("the value does not fit");
  expect(timeAs("5 o'clock")).toBeUndefined();
});

test("a field that is read-only refuses at once, and says to click it", async () => {
  const page = await bench.visit("/clock");
  const start = performance.now();
  const { message, hint } = await failure(page, "fill", "#picked", "new");
  expect(performance.now() - start).toBeLessThan(1_500);
  expect(message).toEndWith("it is read-only.");
  expect(hint).toMatch(/^Click it, which may open a picker: devflow browse click @e\d+$/);
  expect(await holds(page, "picked")).toBe("old");
});

test("an editor's old and new words are told, as those of a field", async () => {
  const page = await bench.visit("/bio");
  expect(await page.text("fill", "textbox:Bio", "Potter in Nice")).toBe(
    'filled @e1 textbox "Bio": "Ceramic artist" → "Potter in Nice"',
  );
  expect(await page.text("type", "!", "@e1")).toContain('textbox "Bio": "Potter in Nice" → "Potter in Nice!"');
});
