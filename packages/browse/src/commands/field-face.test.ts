/** Fields that show their placeholder, their choice or a box of their own in front of themselves, and what really covers a field. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Bench, openBench } from "../../testing/bench.ts";
import { html } from "../../testing/bench-site.ts";

const over = "position:absolute;inset:0;background:#eee";
const field = (id: string, words: string, more = "") =>
  `<div class=row style="position:relative;width:300px;height:32px;margin:8px"><div class=inner>
    <div class=place><input id=${id} aria-label="${words}" ${more} style="width:100%;height:24px"></div>`;

let bench: Bench;
beforeAll(async () => {
  bench = await openBench({
    "/faces": html(`
      ${field("site", "Site", "role=combobox aria-expanded=false readonly")}<div class=item style="${over}"><span>Select site</span></div></div></div>
      ${field("size", "Size", "role=combobox aria-expanded=false")}<span class=chosen title=Small style="${over}">Small</span></div></div>
      ${field("town", "Town")}<div class=hint style="${over}">Town</div></div></div>
      <div style="position:relative;width:40px;height:20px"><input type=checkbox role=switch id=news aria-label=News
        style="position:absolute;width:40px;height:20px;opacity:0"><b id=core style="${over}"></b></div>
      <ul role=listbox id=list hidden><li role=option>Mill Lane</li></ul><p id=out></p><script>
      document.querySelectorAll('.row').forEach((row) => row.addEventListener('click', () => {
        const box = row.querySelector('input');
        box.focus(); out.textContent += box.id + ' ';
        if (box.id === 'site') { list.hidden = false; box.setAttribute('aria-expanded', 'true'); }
      }));
      document.querySelectorAll('.row').forEach((row) => row.onmouseenter = () => row.dataset.mouse = 'over');
      core.onclick = () => news.click();</script>`),
    "/covers": html(`
      ${field("loading", "Loading")}<div class=load-mask style="${over}"><i></i></div></div></div>
      ${field("busy", "Busy")}<div style="${over};cursor:wait">Please wait</div></div></div>
      ${field("taken", "Taken")}<div style="${over}"><button>Accept</button></div></div></div>
      ${field("listed", "Listed")}<div role=listbox style="${over}"><div role=option>One</div></div></div></div>
      ${field("beneath", "Beneath")}<div role=menu style="${over}"><div role=menuitem>Cancel visit</div></div></div></div>
      ${field("under", "Under")}</div></div><div style="position:fixed;inset:0"><p>We use cookies</p></div>`),
  });
});
afterAll(() => bench.close());

test("a field is clicked where its own placeholder or choice lies over it", async () => {
  const page = await bench.visit("/faces");
  const opened = await page.text("click", await page.ref('combobox "Site"'));
  expect(opened).toMatch(/^clicked @e\d+ combobox "Site" \[expanded\]\n\+ @e\d+ listbox/);
  expect(await page.text("click", await page.ref('combobox "Size"'))).toContain("clicked @e");
  expect(await page.text("click", await page.ref('textbox "Town"'))).toContain("clicked @e");
  expect(await page.text("js", "out.textContent")).toBe("site size town ");
  expect(await page.text("snapshot", "-i")).not.toContain("covered by");
});

test("the mouse comes over such a field, and such a switch is checked", async () => {
  const page = await bench.visit("/faces");
  expect(await page.text("hover", "#town")).toMatch(/^hovering over @e\d+ /);
  expect(await page.text("js", "town.closest('.row').dataset.mouse")).toBe("over");
  expect(await page.text("check", "#news")).toMatch(/^checked @e\d+ switch "News"/);
  expect(await page.text("js", "news.checked")).toBe("true");
});

test.each(["loading", "busy", "taken", "listed", "beneath", "under"])(
  "what lies over the field %s goes on being in the way",
  async (id) => {
    const page = await bench.visit("/covers");
    await expect(page.run("click", `#${id}`)).rejects.toThrow(/is covered by .*nothing was clicked/);
  },
);

test("an open menu over a field is closed by a key, not by what is in it", async () => {
  const page = await bench.visit("/covers");
  await page.text("js", "document.querySelector('[style*=fixed]').remove()");
  await page.text("snapshot", "-i");
  const refused: unknown = await page.run("click", "#beneath").catch((error) => error);
  const { details } = refused as { details: { cover: string; next: string } };
  expect(details.cover).toContain('menuitem "Cancel visit"');
  expect(details.next).toContain("close the menu: devflow browse press Escape");
});
