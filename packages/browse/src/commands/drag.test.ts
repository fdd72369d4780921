/** Dragging: the mouse does what a person's does, and nothing is left held. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Bench, openBench, type Visit } from "../../testing/bench.ts";
import { html } from "../../testing/bench-site.ts";
import { beyondMiddle, dragWay, pointsOnWay } from "./write/drag-way.ts";

let bench: Bench;
beforeAll(async () => {
  bench = await openBench({
    "/boxes":
      html(`<style>body { user-select: none } .piece { position: absolute; border: 1px solid; background: #eee }</style>
      <div id=small class=piece style="left:20px;top:20px;width:40px;height:40px">small</div><div id=large class=piece style="left:200px;top:20px;width:120px;height:120px">large</div>
      <svg class=piece style="left:20px;top:200px" width=200 height=100><rect id=ring x=20 y=20 width=80 height=60 fill=none stroke=black></rect></svg>
      <i class=same>one</i><i class=same>two</i><p id=out style="margin-top:400px">up</p><script>
      let held, dx, dy;
      onmousedown = (event) => { out.textContent = 'down'; held = event.target.closest('#small, #large'); if (held) { dx = event.clientX - held.offsetLeft; dy = event.clientY - held.offsetTop; held.style.zIndex = ++depth; } };
      onmousemove = (event) => { if (!held) return; held.style.left = event.clientX - dx + 'px'; held.style.top = event.clientY - dy + 'px'; };
      onmouseup = () => { held = undefined; out.textContent = 'up'; };
      let depth = 1;
      </script>`),
    "/moves":
      html(`<div id=box style="position:absolute;left:20px;top:20px;width:40px;height:40px;background:#eee"></div>
      <div id=there style="position:absolute;left:200px;top:20px;width:80px;height:80px;background:#ddd"></div><script>
      box.onpointerdown = () => { onpointermove = ({ clientX, clientY }) => { box.style.left = clientX - 20 + 'px'; box.style.top = clientY - 20 + 'px'; }; };
      onpointerup = () => { onpointermove = null; };</script>`),
    // Decides as jQuery UI does: by the direction of the last move, once the mouse is past the middle of an item.
    "/halves":
      html(`<style>li { float: left; width: 40px; height: 40px; margin: 3px; border: 1px solid; list-style: none; user-select: none }</style>
      <ul id=list style="width:150px;padding:0">${[..."ABCDEF"].map((name) => `<li>${name}</li>`).join("")}</ul><script>
      let held, last;
      list.onmousedown = ({ target, clientX, clientY }) => { held = target.closest('li'); last = { x: clientX, y: clientY }; };
      document.onmousemove = ({ clientX: x, clientY: y }) => {
        if (!held) return;
        const [right, down] = [x - last.x, y - last.y];
        last = { x, y };
        for (const item of list.children) {
          const box = item.getBoundingClientRect();
          if (item === held || x <= box.left || x >= box.right || y <= box.top || y >= box.bottom) continue;
          const isPast = right === 0 ? y > box.top + box.height / 2 : x > box.left + box.width / 2;
          if ((right || down) > 0 && isPast) item.after(held);
          if ((right || down) < 0 && !isPast) item.before(held);
        }
      };
      document.onmouseup = () => { held = undefined; };</script>`),
    // Looks where the mouse is every 50 ms, as SortableJS does for browsers without dragging.
    "/polled": html(`<style>li { width: 120px; padding: 6px; border: 1px solid; user-select: none }</style>
      <ul id=list><li>A</li><li>B</li><li>C</li></ul><script>
      let held, at;
      list.onpointerdown = ({ target }) => { held = target; };
      document.onpointermove = ({ clientX, clientY }) => { at = [clientX, clientY]; };
      setInterval(() => { const over = held && at && document.elementFromPoint(...at).closest('li'); if (over && over !== held) over.after(held); }, 50);
      document.onpointerup = () => { held = at = undefined; };</script>`),
    "/swap":
      html(`<style>#cell { position: relative; width: 100px; height: 40px }</style><div id=cell><div id=card>Card</div></div><div id=bin style="margin-top:40px">Bin</div><p id=out></p><script>
      card.onmousemove = () => { const one = document.createElement('div'); one.className = 'advert'; one.style.cssText = 'position:absolute;inset:0;background:#eee'; one.onmousedown = one.onclick = () => out.textContent = 'pressed'; cell.append(one); };
      </script>`),
    "/inner": html(`<div id=target style="width:100px;height:100px;background:#ddd">Inner</div>`),
    "/framed":
      html(`<div id=card style="width:60px">Card</div><iframe src="/inner" style="width:300px;height:200px"></iframe><script>
      card.onpointerdown = () => { window.isHeld = true; };</script>`),
  });
});
afterAll(() => bench.close());

const failure = async (page: Visit, ...words: string[]) => {
  const { message, hint } = (await page.run(...words).catch((thrown: unknown) => thrown)) as Error & { hint: string };
  return `${message} ${hint}`;
};
const places = (page: Visit) => page.text("js", "small.offsetLeft + ',' + small.offsetTop");

test("what is dragged may lie over the place of its drop, and is told where it ended", async () => {
  const page = await bench.visit("/boxes");
  await page.text("drag", "#small", "#large");
  const there = await places(page);
  await page.text("drag", "#small", "#large", "at", "10,10");
  expect(await places(page)).not.toBe(there);
  expect(await page.text("js", "out.textContent")).toBe("up");
});

test("a free element that was dragged is said to have moved", async () => {
  const page = await bench.visit("/moves");
  const told = await page.text("drag", "#box", "#there", "at", "40,40");
  expect(told).toMatch(/^dragged @e\d+ <div#box> to @e\d+ <div#there> at 40,40\nmoved from 20,20 to 220,40$/);
});

test("what cannot be hit takes a drop: a shape that is not filled", async () => {
  const page = await bench.visit("/boxes");
  const corner = await page.text("js", "JSON.stringify(ring.getBoundingClientRect())");
  const { left, top, width, height } = JSON.parse(corner) as DOMRect;
  await page.text("drag", "#small", "#ring", "at", "40,30");
  const [x = 0, y = 0] = (await places(page)).split(",").map(Number);
  expect(Math.abs(x + 21 - left - width / 2)).toBeLessThan(2);
  expect(Math.abs(y + 21 - top - height / 2)).toBeLessThan(2);
});

test("a drag that fails names what is in the way, and leaves no button held", async () => {
  const page = await bench.visit("/boxes");
  await page.text("drag", "#small", "#large");
  await page.text("drag", "#large", "at", "5,5", "to", "15,15");
  const told = await failure(page, "drag", "#small", "#ring");
  expect(told).toMatch(
    /^@e\d+ <div#small.piece> "small" is covered by @e\d+ <div#large.piece> "large"; nothing was dragged\./,
  );
  expect(await page.text("js", "out.textContent")).toBe("up");
});

test("what has no middle is said to be out of the mouse's reach there, and is dragged by its edge", async () => {
  const page = await bench.visit("/boxes");
  expect(await failure(page, "drag", "#ring", "#large")).toMatch(
    /the mouse does not reach it there\. Give a place where it does: devflow browse drag @e\d+ at 2,2 to <target>/,
  );
  expect(await page.text("drag", "#ring", "at", "0,20", "to", "#large")).toStartWith("dragged");
});

test("what appears under the mouse is not pressed by a drag", async () => {
  const page = await bench.visit("/swap");
  expect(await failure(page, "drag", "#card", "#bin")).toMatch(
    /is covered by @e\d+ <div\.advert>; nothing was dragged/,
  );
  expect(await page.text("js", "out.textContent")).toBe("");
});

test("an ambiguous target is answered with the same command", async () => {
  const page = await bench.visit("/boxes");
  expect(await failure(page, "drag", "#small", ".same")).toMatch(/for example: devflow browse drag @e\d+ @e\d+/);
  expect(await failure(page, "fill", ".same", "x")).toContain("for example: devflow browse fill @e");
});

test.each([
  ["A", "B", "BACDEF"],
  ["B", "A", "BACDEF"],
  ["A", "C", "BCADEF"],
  ["C", "A", "CABDEF"],
  ["B", "E", "ACDEBF"],
  ["E", "B", "AEBCDF"],
  ["F", "A", "FABCDE"],
])("an item of a grid that is dragged from %s to %s takes its place", async (from, to, order) => {
  const page = await bench.visit("/halves");
  await page.text("drag", `text=${from}`, `text=${to}`);
  expect(await page.text("js", "list.textContent")).toBe(order);
});

test("a list that looks only now and then where the mouse is takes the drop", async () => {
  const page = await bench.visit("/polled");
  await page.text("drag", "text=A", "text=C");
  expect(await page.text("js", "list.textContent")).toBe("BCA");
});

test("an element can be dropped in a frame", async () => {
  const page = await bench.visit("/framed");
  expect(await page.text("drag", "#card", "text=Inner")).toStartWith("dragged");
});

test("a drop can be given as an element, a place in it, or a place in what is dragged; another form gets an example", () => {
  expect(dragWay(["@e8"])).toMatchObject({ target: "@e8" });
  expect(dragWay(["to", "@e8"])).toMatchObject({ target: "@e8" });
  expect(dragWay(["@e8", "at", "30,20"])).toMatchObject({ target: "@e8", to: { x: 30, y: 20 } });
  expect(dragWay(["to", "@e8", "at", "30,20"])).toMatchObject({ target: "@e8", to: { x: 30, y: 20 } });
  expect(dragWay(["at", "1,2", "to", "@e8"])).toMatchObject({ from: { x: 1, y: 2 }, target: "@e8" });
  expect(dragWay(["at", "1,2", "to", "3,4"])).toMatchObject({ from: { x: 1, y: 2 }, to: { x: 3, y: 4 } });
  expect(dragWay(["94"])).toMatchObject({ target: "94" });
  for (const wrong of [["@e8", "there"], ["at", "5", "to", "@e8"], ["at", "5;5"], ["to"]]) {
    let hint = "";
    try {
      dragWay(wrong);
    } catch (error) {
      ({ hint } = error as { hint: string });
    }
    expect(hint).toContain("devflow browse drag @e3");
  }
});

test("the mouse ends at a given place exactly, and passes the middle of an element without leaving it", () => {
  expect(pointsOnWay({ x: 0, y: 0 }, { x: 100, y: 0 }).at(-1)).toEqual({ x: 100, y: 0 });
  const item = { width: 40, height: 12 };
  const to = { x: 0, y: 100 };
  const beyond = beyondMiddle({ from: { x: 0, y: 0 }, to, dragged: item, target: item });
  expect(beyond).toEqual({ x: 0, y: 3 });
  const [before, last] = pointsOnWay({ x: 0, y: 0 }, to, beyond).slice(-2);
  expect([before?.y, last?.y]).toEqual([101, 103]);
  const exact = { from: { x: 0, y: 0 }, to: { x: 100, y: 0 }, dragged: item, target: { width: 41, height: 13 } };
  expect(beyondMiddle(exact)).toEqual({ x: 0, y: 0 });
});
