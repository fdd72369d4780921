/** What a page announces is told with the next answer, once for each time that it appears. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Bench, openBench, type Visit } from "../../testing/bench.ts";
import { html } from "../../testing/bench-site.ts";

/** A page where something happens between two commands. */
const page = (body: string, happens: string) =>
  html(`${body}<button id=other>Other</button><script>
    const moment = () => new Promise((resolve) => setTimeout(resolve, 40));
    async function happen() { ${happens} }</script>`);
const sign = (label: string) =>
  page(
    `<h1>${label}</h1><div role=alert id=said></div>`,
    "said.textContent = 'Wrong password'; await moment(); said.textContent = '';",
  );

let bench: Bench;
beforeAll(async () => {
  bench = await openBench({
    "/sign": sign("Sign in"),
    "/again": sign("Sign in again"),
    "/anew": page(
      "<div id=app></div>",
      `for (let round = 0; round < 2; round++) { app.innerHTML = '<div role=status><p>3 results</p></div>'; await moment(); } app.innerHTML = '';`,
    ),
    "/stays": page(
      "<div role=status id=said></div>",
      "said.innerHTML = '<div><div>99 results</div></div>'; await moment();",
    ),
    "/tray": page(
      "<div aria-live=polite id=tray></div>",
      `for (const words of ['Copied 1 row', 'Copied 2 rows']) { tray.append(Object.assign(document.createElement('p'), { textContent: words })); await moment(); }
      tray.firstChild.remove(); await moment(); tray.innerHTML = '';`,
    ),
    "/shadow": page(
      `<my-toast id=toast></my-toast><div id=late></div><script>
      const define = (name, inside) => customElements.define(name, class extends HTMLElement { constructor() { super(); this.attachShadow({ mode: 'open' }).innerHTML = inside; } });
      define('my-toast', '<div role=alert></div>'); define('my-note', '<div role=status><slot></slot></div>');</script>`,
      `toast.shadowRoot.firstChild.textContent = 'Saved in shadow'; late.innerHTML = '<my-note>Note in a slot</my-note>'; await moment();
      toast.shadowRoot.firstChild.textContent = ''; late.innerHTML = '';`,
    ),
    "/leaving": page(
      "<div role=alert id=said></div><iframe id=frame src=/frame></iframe><a href=/next>Next</a>",
      "said.textContent = 'Said by the page'; await frame.contentWindow.happen(); said.textContent = '';",
    ),
    "/frame": page(
      "<div role=status id=said></div>",
      "said.textContent = 'Said by the frame'; await moment(); said.textContent = '';",
    ),
    "/inbox": page(
      "<div role=status aria-live=polite id=inbox></div>",
      "inbox.innerHTML = '<p>Bank</p><p>Your code is 577589.</p><p>Never share it.</p>'; await moment();",
    ),
    "/next": html("<h1>Next</h1>"),
    "/asking": page("", "alert('Your session ends soon')"),
  });
});
afterAll(() => bench.close());

const happen = (visit: Visit) => visit.tab.page.evaluate("happen()");
const told = (text: string, words: string) => text.split("\n").filter((line) => line.includes(words));

test("the same words are told each time that they appear, after a reload and on another page too", async () => {
  const visit = await bench.visit("/sign");
  for (const go of [[], [], ["reload"], ["goto", bench.site.url("/again")]]) {
    if (go.length > 0) await visit.text(...go);
    await happen(visit);
    const answer = await visit.text("click", "#other");
    expect(told(answer, "Wrong password")).toEqual(['meanwhile: alert "Wrong password" [gone]']);
    expect(told(await visit.text("snapshot", "-i"), "Wrong password")).toEqual([]);
  }
});

test("a region that is rendered anew with the same words is told once", async () => {
  const visit = await bench.visit("/anew");
  await happen(visit);
  expect(told(await visit.text("snapshot", "-i"), "3 results")).toEqual(['status "3 results" [gone]']);
});

test("each toast of a tray is told once, not again when another one comes or goes", async () => {
  const visit = await bench.visit("/tray");
  await happen(visit);
  expect(told(await visit.text("snapshot", "-i"), "Copied")).toEqual([
    'status "Copied 1 row" [gone]',
    'status "Copied 2 rows" [gone]',
  ]);
});

test("announcements in open shadow roots are told, slots included", async () => {
  const visit = await bench.visit("/shadow");
  await happen(visit);
  const answer = await visit.text("snapshot", "-i");
  expect(told(answer, "[gone]").toSorted()).toEqual([
    'alert "Saved in shadow" [gone]',
    'status "Note in a slot" [gone]',
  ]);
});

test.each<string[]>([["click", "link:Next"], ["goto"], ["reload"]])(
  "what a page and its frame announced before a %s left them is told",
  async (...words) => {
    const visit = await bench.visit("/leaving");
    // The frame has loaded by then.
    await visit.text("snapshot");
    await happen(visit);
    const answer = await visit.text(...words, ...(words[0] === "goto" ? [bench.site.url("/next")] : []));
    expect(told(answer, "Said by").toSorted()).toEqual([
      'meanwhile: alert "Said by the page" [gone]',
      'meanwhile: status "Said by the frame" [gone]',
    ]);
    expect(told(await visit.text("snapshot"), "Said by")).toEqual([]);
  },
);

test.each<string[]>([["click", "#other"], ["snapshot", "-i"], ["reload"]])(
  "a dialog that opened while no command ran is told with the next %s",
  async (...words) => {
    const visit = await bench.visit("/asking");
    await happen(visit);
    const answer = await visit.text(...words);
    expect(told(answer, 'dialog alert "Your session ends soon" accepted')).toHaveLength(1);
    expect(await visit.text("snapshot", "-i")).not.toContain("dialog");
  },
);

test("what a status still says is in a snapshot once", async () => {
  for (const options of [[], ["-i"]]) {
    const visit = await bench.visit("/stays");
    await visit.text("snapshot");
    await happen(visit);
    expect(told(await visit.text("snapshot", ...options), "99 results")).toHaveLength(1);
  }
});

test("what the text of a page says is not announced above it as well", async () => {
  const visit = await bench.visit("/inbox");
  await visit.text("snapshot");
  await happen(visit);
  expect(await visit.text("text")).toBe("Bank\n\nYour code is 577589.\n\nNever share it.\n\nOther");
});

test("an announcement in the part of a text that was cut off is told", async () => {
  const visit = await bench.visit("/inbox");
  await visit.text("snapshot");
  await visit.tab.page.evaluate("document.body.prepend('Rules of this page. '.repeat(10))");
  await happen(visit);
  expect(told(await visit.text("text", "--max", "100"), "577589")).toEqual([
    'meanwhile: status "Bank Your code is 577589. Never share it."',
  ]);
});
