/** Receipts tell of what can be clicked without having a role for it. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Bench, openBench } from "../../testing/bench.ts";
import { html } from "../../testing/bench-site.ts";

let bench: Bench;
beforeAll(async () => {
  bench = await openBench({
    "/mail": html(`<style>span.icon { display: inline-block; width: 20px; height: 20px; background: #ccc }</style>
      <button id=reply>Reply</button><div id=form hidden><p>To Ada</p><input aria-label=Message>
      <span id=send class="icon send"></span></div><p id=out></p><script>
      reply.onclick = () => form.hidden = false;
      send.addEventListener('click', () => out.textContent = 'Sent');</script>`),
    "/boxes": html(`<style>#area > div { width: 30px; height: 30px; background: red }</style>
      <button id=few>Few</button><button id=many>Many</button><p id=task></p><div id=area></div><script>
      const fill = (count) => {
        task.textContent = 'Press one of ' + count;
        area.replaceChildren(...Array.from({ length: count }, () => {
          const box = document.createElement('div');
          box.className = 'box';
          box.addEventListener('mousedown', () => task.textContent = 'Pressed');
          return box;
        }));
      };
      few.onclick = () => fill(3); many.onclick = () => fill(48);</script>`),
    "/panels": html(`<button id=one>One</button><button id=two>Two</button><div id=panel></div><script>
      const show = (words) => {
        panel.innerHTML = '<p>' + words.replace(/\\*(.+)\\*/, '<span>$1</span>') + '</p>';
        panel.querySelector('span').addEventListener('click', () => panel.textContent = 'Found');
      };
      one.onclick = () => show('Lorem *ipsum* dolor'); two.onclick = () => show('Sit *amet* elit');</script>`),
    "/card": html(`<div id=card style="width:200px;height:40px">Open me</div><p>Words</p><script>
      card.addEventListener('click', () => card.textContent = 'Opened');</script>`),
    "/filtered":
      html(`<div><div id=box><input id=q aria-label="Search orders"></div></div><table><tbody id=rows></tbody></table><p id=count>13 orders</p><script>
      const show = (words) => rows.innerHTML === '' ? words.forEach((w) => rows.insertAdjacentHTML('beforeend', '<tr><td></td><td></td></tr>')) : 0;
      const fill = (words) => { show(words); [...rows.rows].forEach((row, at) => [...row.cells].forEach((cell, column) => cell.textContent = words[at] + ' ' + column)); };
      fill(['Ash', 'Birch', 'Cedar', 'Elm']);
      q.oninput = () => {
        if (!box.querySelector('i')) {
          const clear = document.createElement('i');
          clear.innerHTML = '<svg width=10 height=10><circle r=5 cx=5 cy=5 /></svg>';
          clear.style.cssText = 'display:inline-block;width:10px;height:10px';
          clear.addEventListener('click', () => q.value = '');
          box.append(clear);
        }
        setTimeout(() => { fill(['Fir', 'Hazel', 'Larch', 'Maple']); count.textContent = '4 orders'; }, 400);
      };</script>`),
    "/counted": html(`<button id=show>Show</button><div id=panel></div><p id=count>13 orders</p><script>
      show.onclick = () => {
        panel.innerHTML = '<p>Lorem <span>ipsum</span></p>';
        panel.querySelector('span').addEventListener('click', () => 0);
        count.textContent = '4 orders';
      };</script>`),
    "/quiet": html(`<button id=say>Say</button><div id=old style="width:20px;height:20px"></div><p id=out></p><script>
      old.addEventListener('click', () => out.textContent = 'old');
      say.onclick = () => out.insertAdjacentHTML('beforeend', '<b>Something</b>');</script>`),
  });
});
afterAll(() => bench.close());

test("an icon that only listens for clicks is in the receipt of what showed it, and its ref works", async () => {
  const page = await bench.visit("/mail");
  const receipt = await page.text("click", "#reply");
  expect(receipt).toMatch(/\+ @c1 clickable <span#send\.send>/);
  expect(await page.text("click", "@c1")).toContain('+ "Sent"');
});

test("a few boxes without words have a line each, many are counted", async () => {
  const page = await bench.visit();
  await page.run("goto", bench.site.url("/boxes"));
  const few = await page.text("click", "#few");
  expect(few.match(/\+ @c\d+ clickable <div\.box>/g)).toHaveLength(3);
  const many = await page.text("click", "#many");
  expect(many).toContain("+ 48 clickables without words: snapshot -i");
  expect(many).not.toContain("<div.box>");
});

test("words that can be clicked have refs beside the text they stand in, each time that it is shown", async () => {
  const page = await bench.visit("/panels");
  await page.text("click", "#one");
  expect(await page.text("click", "#two")).toMatch(/Sit amet elit"[\s\S]*\+ @c\d+ clickable "amet"/);
  const again = await page.text("click", "#one");
  expect(again).toMatch(/Lorem ipsum dolor"[\s\S]*\+ @c\d+ clickable "ipsum"/);
});

test("a page that was opened lists what can be clicked without a role, with the ref that a snapshot has", async () => {
  const page = await bench.visit();
  const opened = await page.text("goto", bench.site.url("/card"));
  expect(opened).toContain('@c1 clickable "Open me"');
  expect(await page.text("snapshot", "-i")).toContain('@c1 clickable "Open me"');
});

test("what could be clicked before is not told again", async () => {
  const page = await bench.visit("/quiet");
  const receipt = await page.text("click", "#say");
  expect(receipt).toContain("Something");
  expect(receipt).not.toContain("clickable");
});

test("a search whose field gets an icon with the first letter is waited for, and the rows at the end of the page are told", async () => {
  const page = await bench.visit("/filtered");
  const receipt = await page.text("fill", "Search orders", "r");
  expect(receipt).toMatch(/~ @e\d+ table has 4 rows now:\n= row "Fir 0 Fir 1"/);
  expect(receipt).toContain('~ "13 orders" → "4 orders"');
});

test("a number at the end of a page is told beside what can be clicked now", async () => {
  const page = await bench.visit("/counted");
  const receipt = await page.text("click", "#show");
  expect(receipt).toContain('clickable "ipsum"');
  expect(receipt).toContain('~ "13 orders" → "4 orders"');
});
