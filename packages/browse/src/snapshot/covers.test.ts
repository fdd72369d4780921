import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Bench, openBench } from "../../testing/bench.ts";
import { html } from "../../testing/bench-site.ts";

const goods = ["Socks", "Shell", "Vest", "Cap"].map((name) => `<p>${name} <button>Buy ${name}</button></p>`).join("");
const layer = (inside: string) =>
  html(
    `${goods}<div id=news style="position:fixed;inset:0;background:#fff">10 % off your first order? ${inside}</div>`,
  );

let bench: Bench;
beforeAll(async () => {
  bench = await openBench({
    "/news": layer("<button>Sign up</button> <button aria-label=Close>✕</button>"),
    "/drawer": html(
      `<ul>${["a", "b", "c", "d", "e", "f"].map((name) => `<li>${name} <button>Open ${name}</button></li>`).join("")}</ul>
      <div id=shade style="position:fixed;inset:0;background:#0003"></div>
      <div style="position:fixed;right:0;top:0;background:#fff"><h2>Order 7</h2><button>Edit</button><button>Close</button></div>`,
    ),
    "/closed": html(`<div inert><button>✕</button></div><button>✕</button>`),
    "/wall": layer("<p>Wait here</p>"),
  });
});
afterAll(() => bench.close());

test("a layer over the page is named once, with what closes it", async () => {
  const page = await bench.visit("/news");
  expect((await page.text("snapshot", "-i")).split("\n")).toEqual([
    expect.stringMatching(/^<div#news> "10 % off .*" lies over 4 of these; to close it: @e\d+ button "Close"$/),
    '@e1 button "Buy Socks" [covered]',
    '@e2 button "Buy Shell" [covered]',
    '@e3 button "Buy Vest" [covered]',
    '@e4 button "Buy Cap" [covered]',
    expect.stringMatching(/^@e\d+ button "Sign up"$/),
    expect.stringMatching(/^@e\d+ button "Close"/),
  ]);
});

test("where nothing in sight closes it, the answer says what to try", async () => {
  const page = await bench.visit("/wall");
  expect((await page.text("snapshot", "-i")).split("\n")[0]).toEndWith(
    "lies over 4 of these; to close it: press Escape, or look: screenshot",
  );
});

test("what lies over most of the controls hides them from the list, which names what is on top", async () => {
  const page = await bench.visit("/drawer");
  expect((await page.text("snapshot", "-i")).split("\n")).toEqual([
    '<div#shade> lies over 6 controls (snapshot lists them); to close it: @e2 button "Close"',
    '@e1 button "Edit"',
    '@e2 button "Close"',
  ]);
  expect(await page.text("snapshot")).toMatch(/@e\d+ button "Open f" \[covered\]/);
});

test("what cannot be clicked under a layer is refused with the control that closes it", async () => {
  const page = await bench.visit("/news");
  await page.text("snapshot", "-i");
  const { hint } = (await page.run("click", "Buy Socks").catch((error) => error)) as { hint: string };
  expect(hint).toMatch(/^To close it, use @e(\d+) button "Close": devflow browse click @e\1$/);
});

test("a control in a closed drawer is not meant where another one has its name", async () => {
  const page = await bench.visit("/closed");
  expect(await page.text("click", "✕")).toStartWith("clicked @e");
});
