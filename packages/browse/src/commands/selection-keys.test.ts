/** Keys that select and copy, which change nothing on a page that can be read. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Bench, openBench } from "../../testing/bench.ts";
import { html } from "../../testing/bench-site.ts";

let bench: Bench;
beforeAll(async () => {
  bench = await openBench({
    "/": html(`<textarea id=area>Some words</textarea><input id=line value="A line"><input id=pin type=password value=geheim>
      <input id=code autocomplete=one-time-code value=4711><p>Text</p>`),
    "/bio": html(`<div contenteditable role=textbox aria-label=Bio>Ceramic artist</div><button>Bold</button>`),
    "/words": html(`<p id=words style="width:400px">Sapien vitae velit</p>`),
    "/own": html(`<p>Shown</p><script>
      document.oncopy = (event) => { event.clipboardData.setData('text/plain', 'instead'); event.preventDefault(); };</script>`),
    "/framed": html(`<iframe srcdoc="<input id=inner value='In a frame'>"></iframe>`),
  });
});
afterAll(() => bench.close());

test("what is selected, and what is copied or cut is told", async () => {
  const page = await bench.visit("/");
  await page.text("click", "#area");
  expect(await page.text("press", "Control+A")).toContain('\nselected "Some words"');
  expect(await page.text("press", "Shift+ArrowLeft", "--times", "6")).toContain('\nselected "Some"');
  await page.text("press", "Control+A");
  expect(await page.text("press", "Control+C")).toBe('pressed Control+C\ncopied "Some words"');
  await page.text("press", "Control+A", "#line");
  const cut = await page.text("press", "Control+X", "#line");
  expect(cut).toContain('copied "A line"');
  expect(cut).toContain('"A line" → ""');
});

test("where nothing is selected, nothing is said to be copied, and a secret is never told", async () => {
  const page = await bench.visit("/");
  await page.text("click", "#line");
  expect(await page.text("press", "Control+C")).not.toContain("copied");
  for (const id of ["pin", "code"]) {
    expect(await page.text("press", "Control+A", `#${id}`)).toContain(
      "\nselected what is in a field that hides its value",
    );
    expect(await page.text("press", "Control+C", `#${id}`)).not.toContain("copied");
  }
});

test("what the page copies in place of the selection is what is told", async () => {
  const page = await bench.visit("/own");
  await page.text("press", "Control+A");
  expect(await page.text("press", "Control+C")).toContain('copied "instead"');
});

test("a selection in a frame is told, too", async () => {
  const page = await bench.visit("/framed");
  const field = await page.ref("textbox");
  expect(await page.text("press", "Control+A", field)).toContain('selected "In a frame"');
  expect(await page.text("press", "Control+C", field)).toContain('copied "In a frame"');
});

test("words that the mouse selects are told", async () => {
  const page = await bench.visit("/words");
  expect(await page.text("drag", "#words", "at", "0,8", "to", "399,8")).toContain('\nselected "Sapien vitae velit"');
});

test("where the caret is and that no field has the focus is told", async () => {
  const page = await bench.visit("/bio");
  expect(await page.text("type", "x")).toContain("\nno field has the focus: name the one to type into");
  await page.text("press", "Control+Home", "textbox:Bio");
  expect(await page.text("press", "ArrowRight", "--times", "8")).toBe("pressed ArrowRight 8 times\ncaret at 8 of 14");
  expect(await page.text("press", "Shift+ArrowRight", "--times", "6")).toContain('selected "artist"');
});
