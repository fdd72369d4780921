/** Controls that a page replaces are followed by their refs, or told. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Bench, openBench } from "../../testing/bench.ts";
import { html } from "../../testing/bench-site.ts";

let bench: Bench;
beforeAll(async () => {
  bench = await openBench({
    "/boxes": html(`<div id=root></div><button id=next>Next</button><script>
      const offers = [['Rome', 'Oslo'], ['Bern', 'Wien', 'Graz']];
      let at = -1;
      next.onclick = () => {
        at += 1;
        root.innerHTML = '<select>' + offers[at % 2].map((one) => '<option>' + one).join('') + '</select>';
      };
      next.click();</script>`),
    "/icons":
      html(`<style>i { display: inline-block; width: 20px; height: 20px; background: #ccc; cursor: pointer }</style>
      <div id=root><i class=trash></i><i class=star></i></div><p id=out></p><button id=next>Next</button><script>
      next.onclick = () => root.innerHTML = '<i class=close></i><i class=send></i>';</script>`),
    "/shapes":
      html(`<style>i { display: inline-block; width: 20px; height: 20px; background: #ccc; cursor: pointer }</style>
      <div id=root></div><button id=next>Next</button><script>
      let kind = 'square';
      next.onclick = () => { root.innerHTML = ('<i class=' + kind + '></i>').repeat(9); kind = 'round'; };
      next.click(); kind = 'round'</script>`),
    "/curtain": html(`<div id=root></div><button id=next>Next</button><script>
      let round = 0;
      const render = () => {
        round += 1;
        root.style.pointerEvents = '';
        root.innerHTML = '<button onclick="this.textContent = \\'Sent ' + round + '\\'">Send</button>' +
          '<button>Twin</button><button>Twin</button>';
      };
      next.onclick = () => root.style.pointerEvents === 'none' ? render() : root.style.pointerEvents = 'none';
      render();</script>`),
    "/twins": html(`<div id=root></div><button id=next>Next</button><script>
      next.onclick = () => root.innerHTML = '<p>' + Date.now() + '</p>' + '<button>Twin</button>'.repeat(3);
      next.click();</script>`),
  });
});
afterAll(() => bench.close());

test("a select box that was replaced by one with other options is told as changed, with its new ref", async () => {
  const page = await bench.visit("/boxes");
  await page.run("snapshot", "-i");
  const receipt = await page.text("click", "#next");
  expect(receipt).toMatch(/~ @e\d+ combobox <select> \[options "Bern", "Wien", "Graz"\]: "Rome" → "Bern"/);
  const ref = /@(e\d+) combobox/.exec(receipt)![1]!;
  expect(await page.text("select", `@${ref}`, "Graz")).toContain("Graz");
});

test("icons that replaced others have lines of their own", async () => {
  const page = await bench.visit("/icons");
  await page.run("snapshot", "-i");
  const receipt = await page.text("click", "#next");
  expect(receipt).toMatch(/\+ @e\d+ clickable <i\.close>\n\+ @e\d+ clickable <i\.send>/);
  expect(receipt).not.toContain("new ref");
});

test("many controls without words that replaced others are counted, and not called equal", async () => {
  const page = await bench.visit("/shapes");
  await page.run("snapshot", "-i");
  const receipt = await page.text("click", "#next");
  expect(receipt).toContain("9 elements have new refs: snapshot -i");
  expect(receipt).not.toContain("equal");
});

test("a ref follows the only control of its words through a time in which none could be used", async () => {
  const page = await bench.visit("/curtain");
  const ref = await page.ref('"Send"');
  await page.run("click", "#next");
  const receipt = await page.text("click", "#next");
  expect(receipt.match(/\+ @e\d+ button "Twin"/g)).toHaveLength(2);
  expect(await page.text("click", ref)).toContain("Sent 2");
});

test("controls of one name that were replaced are counted", async () => {
  const page = await bench.visit("/twins");
  await page.run("snapshot", "-i");
  expect(await page.text("click", "#next")).toContain("3 elements have new refs: snapshot -i");
});
