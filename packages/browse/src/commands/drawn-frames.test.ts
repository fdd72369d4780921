/** Frames that a page pads, turns, scales or zooms: the mouse reaches what is in them, and nothing else. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Bench, openBench, type Visit } from "../../testing/bench.ts";
import { html } from "../../testing/bench-site.ts";
import { throughQuad } from "../page-world/frame-place.ts";

const hosts = ["127.0.0.1", "localhost"] as const;
const inner = `<style>body { margin: 0 }</style><button id=beta style="position:absolute;left:150px;top:60px" onclick="out.textContent += 'hit '">Beta</button>
  <label style="position:absolute;left:10px;top:90px"><input type=checkbox> Tick</label><p id=out></p>
  <a style="position:absolute;left:10px;top:10px" onmouseover="out.textContent += 'over '">Over</a>`;

// Only the whole browser gives the frames of other sites processes of their own.
let bench: Bench;
beforeAll(async () => {
  bench = await openBench(
    {
      "/inner": html(inner),
      "/low": html(`${inner}<div style="height:900px"></div><button onclick="out.textContent += 'low '">Low</button>`),
      "/around": ({ url }) => {
        const asked = (name: string) => url.searchParams.get(name) ?? "";
        const src = bench.site.url(asked("path") || "/inner", asked("host") as (typeof hosts)[number]);
        return html(`<div style="${asked("outer")}"><iframe title=Inner style="width:300px;height:150px;border:5px solid red;${asked("style")}" src="${src}"></iframe></div>
        <p id=said></p>${asked("more")}<script>onclick = (event) => { said.textContent += event.target.localName; };</script>`);
      },
    },
    { isWhole: true },
  );
});
afterAll(() => bench.close());

type Around = Readonly<Partial<Record<"style" | "outer" | "more" | "path", string>>>;
const around = (host: string, given: Around) => `/around?${new URLSearchParams({ host, ...given })}`;
const insideOf = ({ tab }: Visit) => tab.page.frames().at(-1)!.locator("#out").textContent();

test("a square that is drawn into a quad", () => {
  const turned = [10, 0, 10, 10, 0, 10, 0, 0];
  expect(throughQuad(turned, 0, 0)).toEqual({ x: 10, y: 0 });
  expect(throughQuad(turned, 0.5, 0.25)).toEqual({ x: 7.5, y: 5 });
  const { x, y } = throughQuad([0, 0, 10, 2, 10, 8, 0, 10], 1, 0.5);
  expect([x, y].map((one) => Math.round(one))).toEqual([10, 5]);
});

const drawings: readonly (readonly [string, Around])[] = [
  ["is padded", { style: "padding:30px" }],
  ["is turned", { style: "transform:rotate(30deg);margin:80px" }],
  ["is scaled", { style: "transform:scale(.5);transform-origin:0 0" }],
  ["is in something scaled", { outer: "transform:scale(.75);transform-origin:0 0" }],
  ["is zoomed", { style: "zoom:1.5" }],
  ["is in something zoomed", { outer: "zoom:.7" }],
  ["is turned in space", { outer: "width:310px;margin:60px;perspective:400px", style: "transform:rotateY(30deg)" }],
];
for (const host of hosts) {
  test.each(drawings)(`what is in a frame of ${host} that %s is clicked, ticked and hovered over`, async (_, given) => {
    const page = await bench.visit(around(host, given));
    await page.ref("Beta");
    expect(await page.text("click", "button:Beta")).toContain("clicked");
    expect(await page.text("check", "checkbox:Tick")).toContain("checked");
    await page.text("hover", "text=Over");
    expect(await insideOf(page)).toBe("hit over ");
    expect(await page.text("js", "said.textContent")).toBe("");
  });
}

test("a frame far below, and what is far below in it, is scrolled to", async () => {
  for (const host of hosts) {
    const page = await bench.visit(around(host, { outer: "margin-top:2000px;zoom:1.2", path: "/low" }));
    await page.ref("Low");
    expect(await page.text("click", "button:Low")).toContain("clicked");
    expect(await insideOf(page)).toBe("low ");
  }
});

test("what covers a frame in the page around it is named, and gets no click", async () => {
  const cover = `<div id=advert style="position:fixed;inset:0;background:#eee8"></div>`;
  const page = await bench.visit(around("localhost", { style: "padding:30px", more: cover }));
  await page.ref("Beta");
  const refused = await page.run("click", "button:Beta").catch((error: Error) => error.message);
  expect(refused).toMatch(/is covered by @e\d+ <div#advert>; nothing was clicked/);
  expect([await insideOf(page), await page.text("js", "said.textContent")]).toEqual(["", ""]);
});

test.each([
  ["127.0.0.1", "127.0.0.1"],
  ["127.0.0.1", "localhost"],
  ["localhost", "127.0.0.1"],
  ["localhost", "localhost"],
])("what is in a frame of %s in which is one of %s is reached through both", async (outer, host) => {
  const path = `/around?${new URLSearchParams({ host, style: "padding:20px;transform:rotate(5deg)" })}`;
  const page = await bench.visit(around(outer, { style: "width:600px;height:400px;zoom:.8", path }));
  await page.ref("Beta");
  expect(await page.text("click", "button:Beta")).toContain("clicked");
  expect(await insideOf(page)).toBe("hit ");
});
