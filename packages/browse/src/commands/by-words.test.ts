/** Targets as a person says them: the words of a control, or a line as a snapshot prints it. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Bench, openBench } from "../../testing/bench.ts";
import { html } from "../../testing/bench-site.ts";

let bench: Bench;
beforeAll(async () => {
  bench = await openBench({
    "/words": html(`
      <label>* E-mail <input></label><p>Voucher <input id=v></p><input placeholder="Ticket number">
      <button>Add to cart</button><a href="/words#more">More…</a><p>Thank you</p>
      <div class=card><h3>Fern</h3><button>Buy</button></div><div class=card><h3>Fern, large</h3><button>Buy</button></div>
      <table><tr><td>4101</td><td><a href=/1>Wrong address</a></td><td><button class=more><svg class="icon lucide-trash" width=9 height=9></svg></button></td></tr>
        <tr><td>4102</td><td><a href=/2>Cannot log in</a></td><td><button class=more id=radix-_r_2_><svg width=9 height=9></svg></button></td></tr></table>`),
    "/list": html(`
      <div role=listbox style="width:0;height:0;overflow:hidden"><div role=option>Passport</div></div>
      <div title=Passport style="cursor:pointer" onclick="out.textContent = 'chosen'">Passport</div><p id=out></p>`),
    "/frames": html(`
      <label>Security code <input></label>
      <iframe title=Bank srcdoc="<p>Is it you?</p><label>Code <input></label>"></iframe>`),
    "/label": html(`
      <label style="cursor:pointer"><input type=checkbox style="opacity:0"><span>Stay signed in</span></label>
      <div role=alert tabindex=-1>Look out</div><script>document.onclick = () => {}</script>`),
    "/tags": html(`
      <details><summary>More</summary><p>Inside</p></details><main><p>All of it</p></main><form></form><section>One</section>
      <section>Two</section><button>Details</button><button>main</button><button>Section</button><label>Label <input></label>
      <label><input type=checkbox> Form</label><label>Table <select><option>A<option>B</select></label><table><tr><td>1</table>
      <a href="/tags#main">Main part</a>`),
    "/roleless": html(`
      <div id=row1>Row1</div><div id=row2><span>Row2</span></div><div contenteditable aria-label="PT"></div>
      <div><span>React A</span></div><div><span id=b>React B</span></div><p>Twice</p><p>Twice</p><p>Save</p><p id=out></p>
      <script>row1.addEventListener("click", () => { out.textContent = "row 1" });
        row2.addEventListener("click", () => { out.textContent = "row 2" });
        b.parentNode.parentNode.addEventListener("click", (event) => { if (event.target === b) out.textContent = "chose B" });
      </script>`),
    "/stars": html(`
      <ul><li>Initech <button>Star</button></li><li>Globex <button onclick="this.textContent='Starred'">Star</button></li></ul>
      <iframe title="Widget" srcdoc="<ul><li>Hooli <button>Star</button></li><li>Umbrella <button>Star</button></li></ul>"></iframe>
      <iframe title="Tracking" style="width:0;height:0;border:0" srcdoc="<button>Star</button>"></iframe>
      <iframe title="Pay" srcdoc="<button onclick='this.textContent=1'>Pay</button>"></iframe>`),
    "/airports":
      html(`<style>li { cursor: pointer }</style><button onclick="out.textContent = 'kept'">Do not save draft</button>
      <ul><li onclick="out.textContent = 'municipal'">Fort Collins/Loveland, CO - Municipal Airport (FNL)</li>
      <li>Fort Wayne, IN (FWA)</li><li>Fort Worth, TX (DFW)</li><li>Saint Louis, MO</li></ul><p id=out></p>`),
    "/tags-only": html(`
      <details><summary>More</summary></details><section>One</section><section>Two</section><style>p { color: red }</style>
      <button>Styles</button><button>All details</button>`),
  });
});
afterAll(() => bench.close());

const failureOf = async (work: Promise<unknown>) => (await work.catch((error: unknown) => error)) as Error;

test("the words on a control are a target, in any case, without the signs around them", async () => {
  const page = await bench.visit("/words");
  expect(await page.text("click", "add to cart")).toContain('button "Add to cart"');
  expect(await page.text("click", "More")).toContain('link "More…"');
  expect(await page.text("fill", "E-mail", "a@b.c")).toContain('textbox "* E-mail": "" → "a@b.c"');
  expect(await page.text("fill", "label:Ticket number", "7")).toContain('textbox "Ticket number"');
  expect(await page.text("fill", "Voucher", "GREEN")).toContain('"" → "GREEN"');
  const many = await failureOf(page.run("click", "Buy"));
  expect(many.message).toMatch(
    /^2 elements match Buy: @e\d+ button "Buy" in "Fern", @e\d+ button "Buy" in "Fern, large"/,
  );
  const none = await failureOf(page.run("click", "to cart"));
  expect(none.message).toMatch(/^Nothing matches to cart\. Closest now: @e\d+ button "Add to cart"\.$/);
});

test("a control that is called like a tag is meant, not an element with that tag", async () => {
  const page = await bench.visit("/tags");
  expect(await page.text("click", "Details")).toContain('button "Details"');
  expect(await page.text("click", "details")).toContain('button "Details"');
  expect(await page.text("click", "Section")).toContain('button "Section"');
  expect(await page.text("click", "main")).toContain('button "main"');
  expect(await page.text("fill", "Label", "x")).toContain('textbox "Label": "" → "x"');
  expect(await page.text("check", "Form")).toContain("checked @e");
  expect(await page.text("is", "checked", "form")).toBe("true");
  expect(await page.text("select", "Table", "B")).toContain('combobox "Table"');
  expect(await page.text("wait", "Details")).toMatch(/^after \d+ ms: Details$/);
  // What is read is rather a part of the page.
  expect(await page.text("text", "main")).toBe("All of it");
});

test("a tag is a target where no control is called so, but not a word that is only written like one", async () => {
  const page = await bench.visit("/tags-only");
  expect((await failureOf(page.run("click", "Details"))).message).toMatch(
    /^Nothing matches Details\. Closest now: @e\d+ button "All details"/,
  );
  expect((await failureOf(page.run("click", "style"))).message).toMatch(
    /^Nothing matches style\. Closest now: .*"Styles"/,
  );
  expect((await failureOf(page.run("click", "section"))).message).toMatch(/^2 elements match section: /);
  expect(await page.text("is", "visible", "Details")).toBe("true");
  expect(await page.text("is", "visible", "Section")).toBe("false");
  expect(await page.text("is", "visible", "section")).toBe("true");
  expect(await page.text("click", "details")).toContain("clicked @e");
});

test("a line that a snapshot printed is a target", async () => {
  const page = await bench.visit("/words");
  const lines = (await page.text("snapshot", "-i")).split("\n");
  const [first, second] = lines.filter((line) => line.includes("<button"));
  expect(first).toMatch(/^@e\d+ button <button\.more svg\.lucide-trash> in "4101 Wrong address"$/);
  expect(second).toMatch(/^@e\d+ button <button\.more> in "4102 Cannot log in"$/);
  const ref = first!.split(" ")[0]!;
  expect(await page.text("click", first!)).toContain(`clicked ${ref} button`);
  expect(await page.text("click", first!.slice(ref.length + 1))).toContain(`clicked ${ref} button`);
  expect(await page.text("click", 'button in "4101"')).toContain(`clicked ${ref} button`);
  expect(await page.text("click", 'button "Buy" in "Fern, large"')).toMatch(/clicked @e\d+ button "Buy"/);
});

test("what a snapshot calls clickable or editable is a target by that name", async () => {
  const page = await bench.visit("/roleless");
  expect(await page.text("click", "Row1")).toContain('"row 1"');
  expect(await page.text("click", 'clickable "Row2"')).toContain('"row 2"');
  expect(await page.text("click", "clickable:Row1")).toContain('"row 1"');
  expect(await page.text("snapshot", "-i")).toContain('editable "PT"');
  expect(await page.text("fill", "PT", "hello")).toContain("hello");
  expect(await page.text("fill", 'editable "PT"', "again")).toContain("again");
  const fresh = await bench.visit("/roleless");
  expect(await fresh.text("click", 'clickable "Row1"')).toMatch(/clicked @c\d+ clickable "Row1"/);
});

test("words that are on no control mean the one element that shows exactly them", async () => {
  const page = await bench.visit("/roleless");
  expect(await page.text("click", "React B")).toContain('"chose B"');
  expect(await page.text("click", "save")).toContain("clicked @e");
  expect((await failureOf(page.run("click", "Twice"))).message).toMatch(
    /^2 elements match Twice: @e\d+ paragraph "Twice", @e\d+ paragraph "Twice"/,
  );
  expect((await failureOf(page.run("click", "React"))).message).toMatch(/^Nothing matches React\./);
});

test("the beginning of the words of one element is enough, and the answer has all of them", async () => {
  const page = await bench.visit("/airports");
  const words = 'clickable "Fort Collins/Loveland, CO - Municipal Airport (FNL)"';
  for (const part of ["Fort Collins", "fort collins/loveland", "Fort Collins/Loveland, CO - Municipal Ai…"]) {
    expect(await page.text("click", part)).toContain(words.slice(words.indexOf('"')));
  }
});

test("words that several elements contain, or that stand within one, fail with these", async () => {
  const page = await bench.visit("/airports");
  expect((await failureOf(page.run("click", "Fort"))).message).toMatch(
    /^Nothing matches Fort\. Closest now: @e\d+ \w+ "Fort Collins\/Loveland[^"]+", @e\d+ \w+ "Fort Wayne[^"]+", @e\d+ \w+ "Fort Worth[^"]+"\.$/,
  );
  expect((await failureOf(page.run("click", "Save"))).message).toMatch(
    /^Nothing matches Save\. Closest now: @e\d+ button "Do not save draft"\.$/,
  );
});

test("words that no CSS could be are words", async () => {
  const page = await bench.visit("/airports");
  expect((await failureOf(page.run("click", "Fort Dodge/Webster"))).message).toStartWith("Nothing matches Fort Dodge");
});

test("a control is named with its place in any of these ways, and a failure shows how", async () => {
  const page = await bench.visit("/stars");
  const many = (await failureOf(page.run("click", "Star"))) as Error & { hint: string };
  expect(many.message).toMatch(
    /^4 elements match Star: (@e\d+) button "Star" in "Initech", @e\d+ button "Star" in "Globex", @e\d+ button "Star" in "Hooli" in frame "Widget", ….$/,
  );
  expect(many.hint).toMatch(
    /^Choose one by its ref, for example: devflow browse click @e\d+, or by its line: devflow browse click 'button "Star" in "Initech"'$/,
  );
  const read = (await failureOf(page.run("text", "Star"))) as Error & { hint: string };
  expect(read.hint).toMatch(/^Choose one by its ref, for example: devflow browse text @e\d+,/);
  const ways = [
    '"Star" in "Globex"',
    "Star in Globex",
    'button "Star" in "Globex"',
    "button:Star in Globex",
    'button:Star in "Globex"',
  ];
  for (const way of ways) expect(await page.text("attrs", way)).toMatch(/^@e\d+ button "Star" <button>/);
  const refs = await Promise.all(ways.map(async (way) => (await page.text("attrs", way)).split(" ")[0]));
  expect(new Set(refs).size).toBe(1);
  expect(await page.text("is", "visible", "button:Star in Globex")).toBe("true");
  expect(await page.text("is", "visible", "button:Star in Acme")).toBe("false");
  expect(await page.text("click", 'button "Star" in "Umbrella" in frame "Widget"')).toMatch(
    /^clicked @e\d+ button "Star"/,
  );
});

test("roles and words see the same elements, in frames too", async () => {
  const page = await bench.visit("/stars");
  const byRole = await failureOf(page.run("click", "button:Star"));
  const byWords = await failureOf(page.run("click", "Star"));
  expect(byRole.message).toBe(byWords.message.replace("match Star", "match button:Star"));
  expect(await page.text("click", "button:Pay")).toContain('"Pay" → "1"');
});

test("words on a card find what can be done with it", async () => {
  const page = await bench.visit("/words");
  expect((await page.text("find", "large")).split("\n")).toEqual([
    '@e1 heading "Fern, large" [level 3]',
    '@e2 button "Buy" in "Fern, large"',
  ]);
});

test("of two lists, one for screen readers and one to see, the visible one is used", async () => {
  const page = await bench.visit("/list");
  expect(await page.text("click", "option:Passport")).toContain('+ "chosen"');
});

test("an exact name in a frame wins over a longer one on the page", async () => {
  const page = await bench.visit("/frames");
  expect(await page.text("fill", "textbox:Code", "12")).toContain('textbox "Code": "" → "12"');
  expect(await page.text("fill", "textbox:security", "34")).toContain('textbox "Security code": "" → "34"');
  expect(await page.text("text")).toBe('Security code\n\n[frame "Bank"]\nIs it you?\n\nCode');
});

test("a pause and a sentence are waited for, and what can never match is refused at once", async () => {
  const page = await bench.visit("/words");
  const start = performance.now();
  expect(await page.text("wait", "200")).toMatch(/^after \d+ ms: the pause is over$/);
  expect(performance.now() - start).toBeGreaterThan(199);
  expect((await failureOf(page.run("wait", "99999"))).message).toContain("30000 ms at most");
  expect(await page.text("wait", "Thank you")).toMatch(/^after \d+ ms: Thank you$/);
  expect(await page.text("wait", 'button in "4101"')).toMatch(/ is @e\d+ button$/);
  expect((await failureOf(page.run("wait", "div >"))).message).toContain("is not a target");
  expect(await page.text("is", "visible", 'button "Buy" in "Fern"')).toBe("true");
});

test("a label around a checkbox has no line of its own, nor has what is only announced a click", async () => {
  const page = await bench.visit("/label");
  expect((await page.text("snapshot", "-i")).split("\n")).toEqual([
    '@e1 checkbox "Stay signed in" [unchecked]',
    '@e2 alert: "Look out"',
  ]);
  expect(await page.text("click", "Stay signed in")).toContain('checkbox "Stay signed in" [checked]');
});
