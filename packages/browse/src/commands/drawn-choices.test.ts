/** Checkboxes and switches that a page hides and draws anew, without a label: they are one control with their drawing. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Bench, openBench } from "../../testing/bench.ts";
import { html } from "../../testing/bench-site.ts";

const none = "position:absolute;width:0;height:0;opacity:0;margin:0";
const core = "<b class=core></b>";

let bench: Bench;
beforeAll(async () => {
  bench = await openBench({
    "/drawn": html(`<style>.core { display: inline-block; width: 40px; height: 20px; background: #999 }
      .toggle .core, .toggle span, .box, .off .core { cursor: pointer } .off .core { cursor: not-allowed }</style>
      <h1>Booking</h1><input aria-label=Notes>
      <div><div class=toggle><input type=checkbox role=switch checked id=text style="${none}">${core}<span><span>Text the contact</span></span></div></div>
      <div><div class=toggle><input type=checkbox role=switch id=mail aria-label="Send a mail" style="${none}">${core}</div></div>
      <p>Reminders <label for=remind>Remind me</label></p><div class=toggle><input type=checkbox id=remind style="display:none">${core}</div>
      <div class=box><input type=checkbox id=terms style="display:none">${core} I accept</div>
      <div class="off toggle"><input type=checkbox role=switch disabled style="${none}">${core}<span>Not now</span></div>
      <p id=out></p><script>
      document.querySelectorAll('.toggle, .box').forEach((one) => one.addEventListener('click', () => {
        const field = one.querySelector('input');
        if (field.disabled) return;
        field.checked = !field.checked; field.dispatchEvent(new Event('change'));
        out.textContent = field.id + ' ' + field.checked;
      }));</script>`),
    "/others": html(`<style>.core { display: inline-block; width: 40px; height: 20px; cursor: pointer }</style>
      <div style="cursor:pointer" id=card><div><input type=checkbox style="${none}"><b>Card</b></div></div>
      <div><input type=checkbox style="${none}">${core}<button>Other</button></div>
      <button role=switch aria-checked=false>Library</button><input type=checkbox aria-hidden=true style="${none}">`),
  });
});
afterAll(() => bench.close());

const withoutRefs = (text: string) => text.replace(/@[ec]\d+ /g, "").split("\n");
const lines = [
  'switch "Text the contact" [checked]',
  'switch "Send a mail" [unchecked]',
  'checkbox "Remind me" [unchecked]',
  'checkbox "I accept" [unchecked]',
  'switch "Not now" [disabled] [unchecked]',
];

test("a switch has one line with its words, and no other for what is drawn", async () => {
  const page = await bench.visit("/drawn");
  expect(withoutRefs(await page.text("snapshot", "-i"))).toEqual(['textbox "Notes"', ...lines]);
  expect(withoutRefs(await page.text("snapshot", "-i"))).toEqual(['textbox "Notes"', ...lines]);
});

test("it is clicked, checked and unchecked by its ref, its words and its field", async () => {
  const page = await bench.visit("/drawn");
  const ref = await page.ref("Text the contact");
  const clicked = await page.text("click", ref);
  expect(clicked).toContain(`clicked ${ref} switch "Text the contact" [no longer checked]`);
  expect(clicked).toContain("text false");
  expect(await page.text("is", "checked", ref)).toBe("false");
  expect(await page.text("check", ref)).toContain(`checked ${ref} switch "Text the contact" [checked]`);
  expect(await page.text("check", "Text the contact")).toContain("was already checked");
  expect(await page.text("uncheck", "#text")).toContain("text false");
  expect(await page.text("check", "Send a mail")).toContain("mail true");
  expect(await page.text("click", "#remind")).toContain("is checked now");
  expect(await page.text("uncheck", await page.ref("Remind me"))).toContain("remind false");
  expect(await page.text("check", await page.ref("I accept"))).toContain("terms true");
});

test("one that cannot be used says so", async () => {
  const page = await bench.visit("/drawn");
  await expect(page.run("check", await page.ref("Not now"))).rejects.toThrow("it is disabled");
});

test("what has other controls, or is part of something larger, is left as it is", async () => {
  const page = await bench.visit("/others");
  const seen = withoutRefs(await page.text("snapshot", "-i"));
  expect(seen).toContain('clickable "Card"');
  expect(seen).toContain('button "Other"');
  expect(seen.filter((line) => line.includes("Library"))).toEqual(['switch "Library" [unchecked]']);
});
