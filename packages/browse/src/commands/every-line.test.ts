/** Every line of a snapshot can be read, and every target reached. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Bench, openBench } from "../../testing/bench.ts";
import { html } from "../../testing/bench-site.ts";

let bench: Bench;
beforeAll(async () => {
  bench = await openBench({
    "/names": html(`
      <a href=/1><h3>Title one</h3><p>Some words</p></a><a href=/2><img alt="Logo" src=data:,></a>
      <button><em>Very</em> <strong>bold</strong></button><button><code>npm i</code></button>
      <a href=/3><time>10:30</time> <sup>2</sup></a><a href=/4><ul><li>a</li><li>b</li></ul></a>
      <button><svg role=img aria-label=Bin></svg></button>
      <button class=trash><svg width=10 height=10></svg></button>
      <span class=trash style="cursor:pointer;display:inline-block;width:10px;height:10px"></span>
      <details><summary>More</summary>Hidden</details>
      <div id=listens style="height:20px">Listens</div><div tabindex=0>Tabbed</div><span tabindex=0>Inline</span>
      <div inert><button>Off</button></div><div role=alert>Look out</div>
      <script>listens.addEventListener('click', () => listens.textContent = 'Heard')</script>`),
    "/equal": html(`
      <table><tr><td>Initech</td><td><button>Star</button></td></tr><tr><td>Umbrella</td><td><button>Star</button></td></tr></table>
      <button>Save</button><button>Save as draft</button><p>Saved yesterday at noon</p>
      <fieldset><legend>Shipping</legend><label><input type=radio name=s> Fast</label></fieldset>
      <select aria-label=Firm><option>Initech</option><option>Umbrella</option></select>
      <iframe srcdoc="<button onclick='this.textContent=1'>Pay</button>"></iframe>`),
    "/orders": html(`
      <table><tr><th>Customer</th><th></th></tr>
        <tr><td>Basalt</td><td>Grace Hopper</td><td><button>Edit</button><button>Delete</button></td></tr>
        <tr><td>Cobalt</td><td>Ada Lovelace</td><td><button>Edit</button><button>Delete</button></td></tr></table>
      <select aria-label=Room><option>Amber</option><option>Basalt</option></select>`),
    "/frames":
      html(`<button>Save</button><iframe title="Left half" srcdoc="<button>Save</button> <input aria-label=Name>"></iframe>
      <iframe srcdoc="<button>Save</button> <input aria-label=Name>"></iframe>
      <iframe srcdoc="<table><tr><td>Ann<td><button>Edit</button><tr><td>Bob<td><button>Edit</button></table>"></iframe>`),
    "/scope": html(`
      <section id=one><div onclick="1">First</div></section><section id=two><div onclick="1">Second</div><canvas width=50 height=50></canvas></section>
      <section id=three>Only words</section><section id=four><div id=rows tabindex=0><p>Row 1</p><p>Row 2</p></div></section>`),
    "/toast": html(`<button id=copy>Copy</button><button id=other>Other</button><div id=tray aria-live=polite></div>
      <script>copy.onclick = () => setTimeout(() => { tray.innerHTML = '<p>Copied 3 rows</p>'; setTimeout(() => tray.innerHTML = '', 80); }, 150);</script>
      <a href=/failed>Send</a>`),
    "/map":
      html(`<img usemap="#m" width=100 height=100 alt="Map" src="data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAUwAOw=="><p id=out></p><map name=m>
      <area href="#zone" alt="Zone" shape=rect coords="0,0,50,50" onclick="out.textContent = 'In the zone'"></map>`),
    "/failed": html(`<h1>Form</h1><div role=alert><b>Not sent</b>: the name is missing</div><button>Again</button>`),
  });
});
afterAll(() => bench.close());

test("names that come from content, elements without a role and without words all have a line that says what they are", async () => {
  const page = await bench.visit("/names");
  expect((await page.text("snapshot", "-i")).split("\n")).toEqual([
    '@e1 link "Title one Some words"',
    '@e2 link "Logo"',
    '@e3 button "Very bold"',
    '@e4 button "npm i"',
    '@e5 link "10:30 2"',
    '@e6 link "a b"',
    '@e7 button "Bin"',
    "@e8 button <button.trash>",
    "@e9 clickable <span.trash>",
    '@c1 clickable "More"',
    '@c2 clickable "Listens"',
    '@c3 clickable "Tabbed"',
    '@c4 clickable "Inline"',
    '@e10 button "Off" [inert]',
    '@e11 alert: "Look out"',
  ]);
  expect(await page.text("click", "@c2")).toContain('"Listens" → "Heard"');
  expect(await page.text("snapshot", "-i", "-s", "details")).toBe('@c1 clickable "More"');
});

test("equal names are told apart by their row, and an exact name wins over a longer one", async () => {
  const page = await bench.visit("/equal");
  const text = await page.text("snapshot", "-i");
  expect(text).toContain('button "Star" in "Initech"');
  expect(text).toContain('button "Star" in "Umbrella"');
  const many = await page.run("click", "button:Star").catch((error: Error) => error.message);
  expect(many).toMatch(
    /2 elements match button:Star: @e\d+ button "Star" in "Initech", @e\d+ button "Star" in "Umbrella"/,
  );
  expect(await page.text("click", "button:Save")).toMatch(/clicked @e\d+ button "Save"/);
});

test("equal names in equal frames are told apart by the frame's title or number", async () => {
  const page = await bench.visit("/frames");
  const text = await page.text("snapshot", "-i");
  expect(text.match(/(button|textbox) .*/g)).toEqual([
    'button "Save"',
    'button "Save" in "Left half"',
    'textbox "Name" in "Left half"',
    'button "Save" in "frame 2"',
    'textbox "Name" in "frame 2"',
    'button "Edit" in "Ann"',
    'button "Edit" in "Bob"',
  ]);
  expect(await page.text("find", "Name")).toMatch(/"Name" in "Left half"\n.*"Name" in "frame 2"/);
});

test("a row is known by its words, not by the button beside, and what a closed select box offers is not hidden", async () => {
  const page = await bench.visit("/orders");
  expect((await page.text("snapshot", "-i")).split("\n")).toEqual([
    '@e1 button "Edit" in "Basalt Grace Hopper"',
    '@e2 button "Delete" in "Basalt Grace Hopper"',
    '@e3 button "Edit" in "Cobalt Ada Lovelace"',
    '@e4 button "Delete" in "Cobalt Ada Lovelace"',
    '@e5 combobox "Room": "Amber"',
    '  option "Amber" [selected]',
    '  option "Basalt"',
  ]);
});

test("words in a row find the row, with what can be done in it", async () => {
  const page = await bench.visit("/orders");
  expect((await page.text("find", "Ada")).split("\n")).toEqual([
    '@e1 row "Cobalt Ada Lovelace"',
    '  @e2 button "Edit"',
    '  @e3 button "Delete"',
  ]);
});

test("what is named for a target that does not match, and what is found, has its row", async () => {
  const page = await bench.visit("/equal");
  const { details } = (await page.run("click", "button:Stars").catch((error: unknown) => error)) as {
    details: { closest: string };
  };
  expect(details.closest).toMatch(/^ Closest now: @e\d+ button "Star" in "Initech", @e\d+ button "Star" in "Umbrella"/);
  expect(await page.text("find", "Star")).toMatch(
    /^@e\d+ button "Star" in "Initech"\n@e\d+ button "Star" in "Umbrella"$/,
  );
});

test("a snapshot of a part has what can be clicked in it, and nothing else", async () => {
  const page = await bench.visit("/scope");
  expect(await page.text("snapshot", "-i", "-s", "#one")).toMatch(/^@c\d+ clickable "First"$/);
  expect(await page.text("snapshot", "-i", "-s", "#two")).toMatch(/^@c\d+ clickable "Second"\n@e\d+ canvas 50×50: .*$/);
  expect(await page.text("snapshot", "-i", "-s", "#three")).toBe(
    "(nothing in #three can be clicked or filled; read it: text)",
  );
  expect(await page.text("snapshot", "-i", "-s", "#four")).toMatch(/^@c\d+ clickable "Row 1 Row 2"$/);
});

test("a role and a name find elements in frames, groups and options", async () => {
  const page = await bench.visit("/equal");
  expect(await page.text("click", "button:Pay")).toContain('"Pay" → "1"');
  expect(await page.text("attrs", "group:Shipping")).toContain("<fieldset>");
  expect(await page.text("attrs", "role:option:Umbrella")).toContain("<option>");
  expect(await page.text("wait", "--text", "Saved")).toMatch(/^after \d+ ms: "Saved" in "Saved yesterday at noon"$/);
});

test("words and roles in a frame are waited for too", async () => {
  const page = await bench.visit("/equal");
  expect(await page.text("wait", "--text", "Pay", "--timeout", "3000")).toContain('"Pay"');
  expect(await page.text("wait", "button:Pay", "--timeout", "3000")).toMatch(/button:Pay is @e\d+ button "Pay"/);
});

test("a click on an option of a select box says how to choose it", async () => {
  const page = await bench.visit("/equal");
  const error = await page.run("click", "role:option:Umbrella").catch((thrown: unknown) => thrown);
  const { details } = error as { details: { reason: string; next: string } };
  expect(details.reason).toBe("it is an option of a select box");
  const [, box = ""] = /^Choose it: devflow browse select (@e\d+) "Umbrella"$/.exec(details.next) ?? [];
  expect(await page.text("select", box, "Umbrella")).toContain("Umbrella");
});

test("a message that was shown for a moment is told with the next answer, once", async () => {
  const page = await bench.visit("/toast");
  const first = await page.text("click", "button:Copy");
  await Bun.sleep(400);
  const answers = [first, await page.text("click", "button:Other"), await page.text("snapshot", "-i")];
  expect(answers.join("\n").match(/Copied 3 rows/g)).toHaveLength(1);
});

test("an alert on a new page is part of the receipt", async () => {
  const page = await bench.visit("/toast");
  expect(await page.text("click", "link:Send")).toContain('alert "Not sent: the name is missing"');
  expect(await page.text("snapshot", "-i")).toMatch(/@e\d+ alert: "Not sent: the name is missing"/);
});

test("a place in an image map is clicked through its image", async () => {
  const page = await bench.visit("/map");
  const image = /@e\d+/.exec(await page.text("snapshot"))?.[0] ?? "";
  expect(await page.text("snapshot", "-i")).toBe(
    `${image} img "Map" has areas: "Zone" at 25,25; click one: click ${image} at <x,y>`,
  );
  expect(await page.text("click", image, "at", "20,20")).toContain("In the zone");
});
