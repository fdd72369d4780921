/** Receipts say what happened: where a click landed, and effects that have no words. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Bench, openBench } from "../../testing/bench.ts";
import { html } from "../../testing/bench-site.ts";

let bench: Bench;
beforeAll(async () => {
  bench = await openBench({
    "/swap": html(`
      <div style="position:relative;width:200px;height:40px"><button id=pay style="width:200px;height:40px">Pay</button></div>
      <div style="position:relative;width:200px;height:40px"><button id=once style="width:200px;height:40px">Once</button></div>
      <p id=out></p>
      <script>
        const cover = (name) => { const one = document.createElement('div'); one.className = name;
          one.style.cssText = 'position:absolute;inset:0;background:#eee'; one.onclick = () => out.textContent += name; return one; };
        pay.onclick = () => out.textContent += 'paid';
        once.onclick = () => out.textContent += 'once';
        pay.parentElement.onmousemove = () => pay.parentElement.children.length > 1 || pay.parentElement.append(cover('advert'));
        let shown = 0;
        once.onmousemove = () => { if (shown++) return; const one = cover('tip'); once.parentElement.append(one); setTimeout(() => one.remove(), 30); };
      </script>`),
    "/box": html(`
      <div id=box style="width:200px;padding:40px 0 0"><button onclick="out.textContent = 'deleted'">Delete all</button></div>
      <div id=edge style="border:20px solid;width:100px;height:60px" onmousedown="out.textContent = event.clientX - edge.getBoundingClientRect().x"></div>
      <button id=window onclick="open('/looks', 'aside')">Window</button><p id=out></p>`),
    "/looks": html(`
      <canvas id=board width=200 height=100></canvas><button id=dark>Theme</button><button id=none>Nothing</button><button id=call>Call</button><button id=mute>Mute</button><i id=bell data-state=on></i>
      <input type=file id=file><div id=list tabindex=0 style="height:100px;overflow:auto"></div>
      <script>
        const pen = board.getContext('2d');
        board.onclick = (event) => pen.fillRect(event.offsetX, event.offsetY, 40, 20);
        board.onmousemove = (event) => event.buttons && pen.fillRect(event.offsetX, event.offsetY, 8, 8);
        call.onclick = () => document.title = '(1) Call';
        mute.onclick = () => { bell.dataset.state = 'busy'; bell.dataset.state = 'off'; };
        dark.onclick = () => document.body.className = 'dark';
        const more = () => { for (let i = 0; i < 20; i++) list.insertAdjacentHTML('beforeend', '<p>Row ' + list.children.length + '</p>'); };
        more();
        list.onscroll = () => list.scrollTop + 120 > list.scrollHeight && list.children.length < 40 && setTimeout(more, 200);
      </script>`),
  });
  await writeFile(join(bench.folder, "photo.png"), "not really");
});
afterAll(() => bench.close());

test("a click that would land on something that appears under the mouse does not reach it, and says so", async () => {
  const page = await bench.visit("/swap");
  const refused = await page.run("click", "button:Pay").catch((error: Error) => error.message);
  expect(refused).toMatch(/^@e\d+ button "Pay" is covered by @e\d+ <div\.advert>; nothing was clicked\.$/);
  expect(await page.text("js", "out.textContent")).toBe("");
});

test("a click that something covered for a moment is tried again", async () => {
  const page = await bench.visit("/swap");
  expect(await page.text("click", "button:Once")).toContain('+ "once"');
});

test("drawing on a canvas is an effect, and places in it can be clicked and dragged over", async () => {
  const page = await bench.visit("/looks");
  expect(await page.text("click", "#board", "at", "40,12")).toMatch(
    /^clicked @e\d+ <canvas#board> at 40,12\n<canvas#board> was drawn on$/,
  );
  const isDrawn = (x: number, y: number) => page.text("js", `pen.getImageData(${x}, ${y}, 1, 1).data[3]`);
  expect([await isDrawn(45, 15), await isDrawn(30, 15)]).toEqual(["255", "0"]);
  expect(await page.text("drag", "#board", "at", "10,60", "to", "150,60")).toContain("<canvas#board> was drawn on");
  expect(await isDrawn(152, 62)).toBe("255");
});

test("a change of style or of the title is reported as one, and nothing as nothing", async () => {
  const page = await bench.visit("/looks");
  await page.text("click", "button:Nothing");
  expect(await page.text("click", "button:Call")).toMatch(/\ntitle ".*" → "\(1\) Call"/);
  expect(await page.text("click", "button:Theme")).toContain(
    "nothing to read changed so far, only: class of <body.dark> +dark",
  );
  expect(await page.text("click", "button:Mute")).toContain('only: data-state of <i#bell> "on" → "off"');
  await page.text("click", "button:Nothing");
  expect(await page.text("click", "button:Nothing")).toEndWith("no observable effect");
});

test("an upload and a scroll that loads rows have an effect", async () => {
  const page = await bench.visit("/looks");
  const uploaded = await page.text("upload", "#file", "photo.png");
  expect(uploaded).toContain("chosen: photo.png");
  expect(uploaded).not.toContain("no observable effect");
  const scrolled = await page.text("scroll", "#list", "--to", "bottom");
  expect(scrolled).toMatch(/\nscrolled from 0 to \d+\n/);
  expect(scrolled).toContain('+ "Row 20"');
});

test("an element without a role is not called by the name of what is inside it", async () => {
  const page = await bench.visit("/box");
  expect(await page.text("click", "#box", "at", "100,10")).toMatch(/^clicked @e\d+ <div#box> "Delete all" at 100,10\n/);
  expect(await page.text("js", "out.textContent")).toBe("");
});

test("a place outside of an element is refused, and a place in it counts from its corner for every command", async () => {
  const page = await bench.visit("/box");
  const outside = await page.run("click", "#edge", "at", "400,12").catch((error: Error) => error.message);
  expect(outside).toMatch(/^400,12 is outside of @e\d+ <div#edge>, which is 140×100\.$/);
  for (const words of [[], ["--modifiers", "Shift"]]) {
    await page.text("click", "#edge", "at", "50,50", ...words);
    expect(await page.text("js", "out.textContent")).toBe("50");
  }
  await page.text("drag", "#edge", "at", "30,50", "to", "60,50");
  expect(await page.text("js", "out.textContent")).toBe("30");
});
