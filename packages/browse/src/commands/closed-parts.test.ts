/** What is in a closed part of the page: why it cannot be used, and what opens it. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Bench, openBench, type Visit } from "../../testing/bench.ts";
import { html } from "../../testing/bench-site.ts";

let bench: Bench;
beforeAll(async () => {
  bench = await openBench({
    "/": html(`
      <h3 role=tab aria-controls=one aria-expanded=false onclick="one.hidden = !one.hidden">Section #1</h3><div id=one hidden><button>In one</button></div>
      <h3><button id=head>Section #2</button></h3><div role=region aria-labelledby=head style="display:none"><div><a href="#x">In two</a></div></div>
      <details><summary>Section #3</summary><button>In three</button></details>
      <div hidden><button aria-controls=deep>Inner</button><div id=deep><button id=alone>Alone</button></div></div>
      <div style="visibility:hidden"><button id=unseen>Unseen</button></div><a id=anchor></a><div style="height:2000px"></div><a id=below></a>`),
  });
});
afterAll(() => bench.close());

async function failure(page: Visit, ...words: string[]): Promise<string> {
  const { message, hint } = (await page.run(...words).catch((thrown: unknown) => thrown)) as Error & { hint: string };
  return `${message} ${hint}`;
}

test.each([
  ["#one button", 'tab "Section #1"'],
  ["css=[role=region] a", 'button "Section #2"'],
  ["details button", 'summary "Section #3"'],
])("what is in a closed part is said to be there, with the control that opens it: %s", async (target, opener) => {
  const page = await bench.visit("/");
  for (const command of ["click", "scroll"]) {
    const told = await failure(page, command, target);
    expect(told).toContain(`it is in the closed part of`);
    expect(told).toMatch(new RegExp(`(@e\\d+) ${opener}\\. Open it first: devflow browse click \\1$`));
  }
});

test("the command that is advised opens the part", async () => {
  const page = await bench.visit("/");
  const [, opener = ""] = /devflow browse click (@e\d+)$/.exec(await failure(page, "click", "#one button")) ?? [];
  await page.text("click", opener);
  expect(await page.text("click", "#one button")).toStartWith("clicked");
});

test("where nothing says what would show it, the advice is not to scroll to it", async () => {
  const page = await bench.visit("/");
  for (const target of ["#alone", "#unseen"]) {
    const told = await failure(page, "click", target);
    expect(told).toContain("See what is visible: devflow browse snapshot -i");
    expect(told).not.toContain("scroll");
  }
});

test("to scroll to what is not shown fails at once, and what only has no size is scrolled to", async () => {
  const page = await bench.visit("/");
  const start = performance.now();
  expect(await failure(page, "scroll", "#alone")).toContain("the page does not show it now");
  expect(performance.now() - start).toBeLessThan(1_500);
  expect(await page.text("scroll", "#below")).toMatch(/^scrolled to @e\d+ /);
});
