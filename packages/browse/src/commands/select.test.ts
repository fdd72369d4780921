/** Choosing in boxes of the browser, and in those that a page draws itself as component libraries do. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Bench, openBench } from "../../testing/bench.ts";
import { html } from "../../testing/bench-site.ts";
import { optionFor } from "./write/pick-option.ts";

/** A list that appears on the body, and covers what is below it. */
const popup = `
  function popup(box, names, choose, { drawn = false, stays = false } = {}) {
    const list = document.createElement("div");
    list.setAttribute("role", drawn ? "presentation" : "listbox");
    list.style = "position:absolute;background:white;width:200px;top:" + box.getBoundingClientRect().bottom + "px";
    for (const name of names) {
      const option = document.createElement("div");
      option.textContent = name;
      if (drawn) option.style.cursor = "pointer"; else option.setAttribute("role", "option");
      option.onclick = () => { choose(name); if (!stays) close(); };
      option.onmousedown = (event) => event.preventDefault();
      list.append(option);
    }
    const close = () => { list.remove(); box.setAttribute("aria-expanded", "false"); };
    box.onkeydown = (event) => { if (event.key === "Escape") close(); };
    box.setAttribute("aria-expanded", "true");
    document.body.append(list);
    return list;
  }`;

let bench: Bench;
beforeAll(async () => {
  bench = await openBench({
    "/boxes": html(`<script>${popup}</script>
      <label>Size <select><option value=s>Small</option><option value=l>Large</option></select></label>
      <p><button role=combobox id=team aria-label="Team" aria-expanded=false>Pick</button></p>
      <p><input role=combobox id=city aria-label="City" aria-expanded=false autocomplete=off></p>
      <p><input role=combobox id=office aria-label="Office" aria-expanded=false readonly>
        <div role=listbox style="width:0;height:0;overflow:hidden"><div role=option>Rotterdam</div></div></p>
      <p><button role=combobox id=skills aria-label="Skills" aria-expanded=false>None</button></p>
      <p><button id=after style="width:200px">After</button></p>
      <ul role=listbox aria-label="Colour" id=colour><li role=option>Red</li><li role=option>Blue</li></ul>
      <script>
        team.onclick = () => setTimeout(() => popup(team, ["Core", "Web", "Web design"], (name) => { team.textContent = name; }), 100);
        let list, timer;
        const offer = () => { list?.remove(); list = popup(city, Array.from({ length: 300 }, (_, at) => "City " + at)
          .filter((name) => name.includes(city.value)).slice(0, 10), (name) => { city.value = name; }); };
        city.onclick = offer;
        city.oninput = () => { clearTimeout(timer); timer = setTimeout(offer, 200); };
        office.onclick = () => popup(office, ["Gdansk", "Rotterdam"], (name) => { office.value = name; }, { drawn: true });
        const chosen = [];
        skills.onclick = () => popup(skills, ["Go", "Rust", "Zig"], (name) => { chosen.push(name); skills.textContent = chosen.join(", "); },
          { stays: true });
        colour.onclick = (event) => event.target.setAttribute("aria-selected", "true");
      </script>`),
    "/form": html(`
      <form name=order><table><tr><td>Voucher</td><td><input name=code value=GREEN></td></tr></table><p>Amount <input></p>
        <div class=control><div class=values><div class=tag><span>navy</span></div><div class=tag><span>vip</span></div>
          <input role=combobox aria-label="Tags"></div></div>
        <div class=control><div class=my-placeholder>Choose…</div><div><input role=combobox aria-label="Cost centre"></div></div>
        <button type=button role=combobox aria-label="Size">Large</button><select aria-hidden=true><option>Large</select></form>`),
  });
});
afterAll(() => bench.close());

const failureOf = async (work: Promise<unknown>) =>
  (await work.catch((error: unknown) => error)) as Error & { hint: string };

test("a combobox is opened and its option pressed, by its name or how it begins", async () => {
  const page = await bench.visit("/boxes");
  expect(await page.text("select", "Team", "Web")).toMatch(/^chose "Web" in @e\d+ combobox "Team": "Pick" → "Web"/);
  expect(await page.text("select", "Team", "web d")).toMatch(/^chose "Web design" in @e\d+ combobox "Team"/);
});

test("an option that is shown only after its words are typed is found", async () => {
  const page = await bench.visit("/boxes");
  expect(await page.text("select", "City", "City 237")).toMatch(
    /^chose "City 237" in @e\d+ combobox "City".*"City 237"/,
  );
});

test("a box that shows a person other elements than a screen reader is chosen in too", async () => {
  const page = await bench.visit("/boxes");
  expect(await page.text("select", "Office", "Rotterdam")).toMatch(/^chose "Rotterdam" in @e\d+ combobox "Office"/);
  expect(await page.text("js", "office.value")).toContain("Rotterdam");
});

test("several options are chosen one after the other, and a list that stays open is closed", async () => {
  const page = await bench.visit("/boxes");
  expect(await page.text("select", "Skills", "Go", "Zig")).toMatch(/^chose "Go", "Zig" in @e\d+ combobox "Skills"/);
  expect(await page.text("click", "After")).toContain("clicked @e");
});

test("options of a list that is always open are pressed", async () => {
  const page = await bench.visit("/boxes");
  expect(await page.text("select", "Colour", "Blue")).toContain('option "Blue" [selected]');
});

test("an option that is not there fails with those that are, and the next command", async () => {
  const page = await bench.visit("/boxes");
  const drawn = await failureOf(page.run("select", "Team", "Sales"));
  expect(drawn.message).toMatch(
    /^select failed on @e\d+ combobox "Team": it has no option "Sales"; it has "Core", "Web", "Web design"\.$/,
  );
  expect(drawn.hint).toMatch(/^Choose one of them: devflow browse select @e\d+ "Core"$/);
  const native = await failureOf(page.run("select", "Size", "Huge"));
  expect(native.message).toEndWith('combobox "Size": it has no option "Huge"; it has "Small", "Large".');
  // The list was closed again, so what lies below it can be pressed.
  expect(await page.text("click", "City")).toContain("clicked @e");
});

test("forms tell the words beside a field, and what is chosen in boxes that the page draws", async () => {
  const page = await bench.visit("/form");
  expect((await page.text("forms")).split("\n").slice(1)).toEqual([
    '  text "Voucher": "GREEN"',
    '  text "Amount": ""',
    '  combobox "Tags": "navy, vip"',
    '  combobox "Cost centre": ""',
    '  combobox "Size": "Large"',
  ]);
});

test("of options that are like the words the exact one is taken, else the only one", () => {
  const options = ["Web design", "Web", "Core", "Score"].map((name) => ({ name }));
  const nameFor = (wanted: string) => optionFor(options, wanted)?.name;
  expect(nameFor("Web")).toBe("Web");
  expect(nameFor("web")).toBe("Web");
  expect(nameFor("we")).toBeUndefined();
  expect(nameFor("co")).toBe("Core");
  expect(nameFor("design")).toBe("Web design");
  expect(nameFor("ore")).toBeUndefined();
  expect(nameFor("Sales")).toBeUndefined();
});
