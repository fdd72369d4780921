/** What is in the way of the mouse: bars, pages that move under the press, and places that no pointer reaches. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Bench, openBench, type Visit } from "../../testing/bench.ts";
import { html } from "../../testing/bench-site.ts";

let bench: Bench;
beforeAll(async () => {
  bench = await openBench({
    "/bars": html(`<style>.bar { position: fixed; left: 0; right: 0; height: 70px; background: #ddd }</style>
      <div style="height:800px"></div>
      <button id=press onclick="out.textContent += 'pressed '">Press</button><br><label><input type=checkbox id=tick> Tick</label><br>
      <a id=over onmouseover="out.textContent += 'hovered '">Over</a><p id=out></p><div style="height:1500px"></div>
      <div class=bar style="top:0">Header</div><div class=bar style="bottom:0">Footer</div>`),
    "/shut": html(`<div style="height:300px"></div><button id=press>Press</button><div style="height:1500px"></div>
      <div style="position:fixed;inset:0;background:#0003" id=backdrop></div>`),
    "/astray": html(`<p id=out></p><script>
        const say = (word) => { out.textContent += word + ' '; };
        const layer = (attributes, text) => { document.body.insertAdjacentHTML('beforeend', '<div style="position:fixed;inset:0;background:#eee8" ' + attributes + '>' + text + '</div>'); };
        let downs = 0;
      </script><style>#shy:active { pointer-events: none }</style>
      <div><button onmousedown="this.insertAdjacentHTML('beforebegin', '<div style=height:80px>pushed</div>')" onclick="say('shifted')">Shift</button></div>
      <div id=place><button onmousedown="place.innerHTML = '<button onclick=say(1)>Delete all</button>'">Swap</button></div>
      <p><button onmousedown="this.replaceWith(this.cloneNode(true))" onclick="say(2)">Same</button></p>
      <button onmousedown="layer('id=advert', 'Buy')" onclick="say('paid')">Pay</button>
      <button id=shy onmousedown="downs++">Shy</button>`),
    "/meant": html(`<p id=out></p><script>
        const say = (word) => { out.textContent += word + ' '; };
        const layer = (attributes, text) => { document.body.insertAdjacentHTML('beforeend', '<div style="position:fixed;inset:0;background:#eee8" ' + attributes + '>' + text + '</div>'); };
      </script>
      <div role=combobox aria-label=Colour aria-haspopup=listbox tabindex=0 onmousedown="layer('class=backdrop', ''); layer('role=presentation', '<ul role=listbox><li role=option>Red</ul>')">Colour</div>
      <button onpointerdown="layer('role=menu', '<button role=menuitem>Cut</button>')">More</button>
      <button id=icon onmousedown="icon.firstElementChild.style.cssText = 'pointer-events: none'" onclick="say('icon')"><b>Icon</b></button>
      <div id=box role=dialog aria-label="Note"><div><button onmousedown="box.remove()">Close</button></div><p>Words</p></div><p>Below</p>`),
    // Ignores the mouse until it moves, and then acts on where it was, as the suggestions of jQuery UI do.
    "/suggests":
      html(`<style>#list { position: absolute; left: 10px; top: 60px; background: #fff } #list li { width: 200px; padding: 6px; list-style: none }</style>
      <p id=out></p><p id=under style="position:absolute;left:10px;top:90px;width:200px">Under</p><ul id=list hidden><li>One</li><li>Two</li><li>Three</li></ul><script>
      let active, isNew = false;
      const openList = () => { list.hidden = false; isNew = true; };
      list.onmouseover = ({ target }) => {
        if (!isNew) { active = target; return; }
        isNew = false;
        document.addEventListener('mousemove', () => { active = target; }, { once: true });
      };
      list.onclick = ({ target }) => { out.textContent = (active ?? target).textContent; list.hidden = true; active = undefined; };</script>`),
    "/drawn": html(`<svg width=300 height=200>
      <circle id=disc cx=50 cy=50 r=40 fill=teal></circle><text id=plus x=44 y=56><tspan>+</tspan></text>
      <path id=arc d="M 150 20 A 60 60 0 0 1 250 20" fill=none stroke=black stroke-width=12></path>
      <path id=bend d="M 150 150 L 150 90 L 280 90 L 280 110 L 170 110 L 170 150 Z"></path></svg><p id=out></p><script>
      const say = (word) => { out.textContent += word + ' '; };
      disc.onclick = () => say('disc');
      bend.onclick = () => say('bend');
      for (const kind of ['mousedown', 'mouseup', 'click']) plus.addEventListener(kind, () => { say(kind); plus.innerHTML = '<tspan>-</tspan>'; });
      </script>`),
    "/lists": html(`<style>li { width: 120px; padding: 6px; border: 1px solid; user-select: none }</style>
      <ul id=dragged><li draggable=true>A</li><li draggable=true>B</li><li draggable=true>C</li></ul>
      <ul id=pointed><li>P</li><li>Q</li><li>R</li></ul><div id=knob style="width:200px;height:20px;background:#ddd"></div><script>
      let held;
      dragged.ondragstart = ({ target }) => { held = target; };
      dragged.ondragover = (event) => event.preventDefault();
      dragged.ondrop = (event) => { event.preventDefault(); event.target.after(held); held = undefined; };
      pointed.onpointerdown = ({ target, pointerId }) => { held = target; pointed.setPointerCapture(pointerId); };
      pointed.onpointermove = ({ clientX, clientY }) => {
        const over = held && document.elementFromPoint(clientX, clientY);
        if (over?.parentElement === pointed && over !== held) over.after(held);
      };
      pointed.onpointerup = () => { held = undefined; };</script>`),
  });
});
afterAll(() => bench.close());

/** Scrolls so that the element is under the header or the footer. */
const putUnder = (page: Visit, id: string, bar: "start" | "end") =>
  page.text("js", `document.getElementById('${id}').scrollIntoView({ block: '${bar}' }); scrollY`);

test("what is under a header or footer that stays is scrolled clear of it, for every command with the mouse", async () => {
  const page = await bench.visit("/bars");
  await page.text("snapshot", "-i");
  for (const bar of ["start", "end"] as const) {
    await putUnder(page, "press", bar);
    expect(await page.text("click", "#press")).toContain("clicked");
    await putUnder(page, "over", bar);
    await page.text("hover", "#over");
    await putUnder(page, "tick", bar);
    expect(await page.text(bar === "start" ? "check" : "uncheck", "#tick")).toContain("checked");
  }
  expect(await page.text("js", "out.textContent")).toBe("pressed hovered pressed hovered ");
});

test("a page under a backdrop is not scrolled to reach something", async () => {
  const page = await bench.visit("/shut");
  await expect(page.run("click", "#press")).rejects.toThrow("is covered by");
  expect(await page.text("js", "scrollY")).toBe("0");
});

test.each([
  ["Shift", 'but the click landed on <div> "pushed Shift"'],
  ["Swap", "the page changed at the press, and no click followed"],
  ["Same", "the page changed at the press, and no click followed"],
  ["Pay", "but the click landed on <body>"],
])("a press on %s whose click goes elsewhere is not told as a click", async (name, what) => {
  const page = await bench.visit("/astray");
  const told = await page.text("click", `button:${name}`);
  expect(told).toMatch(new RegExp(`^pressed @e\\d+ button "${name}"[,;] ${what}`));
  expect(await page.text("js", "out.textContent")).toBe("");
});

test("a press of which nothing at all came is tried once more", async () => {
  const page = await bench.visit("/astray");
  expect(await page.text("click", "button:Shy")).toMatch(/^pressed @e\d+ button "Shy", but the click landed on <body>/);
  expect(await page.text("js", "downs")).toBe("2");
});

test("menus that open and dialogs that close at the press, and elements inside of a button, are clicked", async () => {
  const clicked = async (target: string) => {
    const page = await bench.visit("/meant");
    expect(await page.text("click", target)).toStartWith("clicked");
    return page.text("js", "out.textContent");
  };
  await clicked("combobox:Colour");
  await clicked("button:More");
  await clicked("button:Close");
  expect(await clicked("css=#icon b")).toBe("icon ");
});

test("an item of a menu that opened under the mouse is the one that is clicked", async () => {
  const page = await bench.visit("/suggests");
  await page.text("hover", "#under");
  for (const name of ["Three", "One"]) {
    await page.text("js", "openList()");
    await page.text("wait", "100");
    expect(await page.text("click", `text=${name}`)).toContain("clicked");
    expect(await page.text("js", "out.textContent")).toBe(name);
  }
});

test("a shape is clicked beside the words that are drawn on it, and where its middle is empty", async () => {
  const page = await bench.visit("/drawn");
  expect(await page.text("snapshot", "-i")).not.toContain("covered by");
  expect(await page.text("click", "#disc")).toMatch(/^clicked @e\d+ <circle#disc>/);
  expect(await page.text("click", "#bend")).toMatch(/^clicked @e\d+ <path#bend>/);
  expect(await page.text("js", "out.textContent")).toBe("disc bend ");
});

test("what replaces its own label at each event of the mouse is clicked", async () => {
  const page = await bench.visit("/drawn");
  expect(await page.text("click", "#plus")).toMatch(/^clicked @e\d+ <text#plus>/);
  expect(await page.text("js", "out.textContent")).toStartWith("mousedown mouseup ");
});

test("items of lists are dragged, by the browser's own dragging and by pointer events", async () => {
  const page = await bench.visit("/lists");
  await page.text("drag", "text=A", "text=C");
  await page.text("drag", "text=P", "text=R");
  expect(await page.text("js", "dragged.innerText + pointed.innerText")).toBe("B\nC\nAQ\nR\nP");
});

test("a drag to a place outside of the element is refused, and says how large it is", async () => {
  const page = await bench.visit("/lists");
  const refused = await page.run("drag", "#knob", "at", "5,10", "to", "320,10").catch((error: Error) => error.message);
  expect(refused).toMatch(/^320,10 is outside of @e\d+ <div#knob>, which is 200×20\.$/);
});
