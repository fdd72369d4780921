import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Bench, openBench, type Visit } from "../../testing/bench.ts";
import { html } from "../../testing/bench-site.ts";
import { captureTree } from "../snapshot/capture-tree.ts";
import { readPageTree } from "../snapshot/page-tree.ts";
import { askPage } from "./ask-page.ts";
import { askDirectly, isDirect } from "./direct-way.ts";

let bench: Bench;
beforeAll(async () => {
  bench = await openBench({
    "/form": html(`<h1>Sign up</h1><form><label>Name <input name="name" value="Ada"></label>
      <label><input type="checkbox" checked> Newsletter</label><select><option>One<option selected>Two</select>
      <textarea placeholder="More"></textarea><button disabled>Send</button></form><a href="/other"><img alt="Home"></a>`),
    "/other": html(`<h1>Other</h1><my-box></my-box><script>
      customElements.define("my-box", class extends HTMLElement {
        connectedCallback() { this.attachShadow({ mode: "open" }).innerHTML = "<button>Inside <slot></slot></button>"; }
      })</script>`),
    "/reacting": html(`<label>Now <input id="now"></label><label>Late <input id="late"></label>
      <label>Never <input id="never" value="same"></label><p id="said"></p><script>
      const say = (text) => { document.getElementById("said").textContent = text; };
      now.oninput = () => say("now " + now.value);
      late.oninput = () => setTimeout(() => say("late " + late.value));
      never.onbeforeinput = (event) => event.preventDefault();</script>`),
    "/frames": html(`<h1>Outer</h1><iframe srcdoc="<button>Inner</button>"></iframe>`),
    "/liar": html(`<h1>Liar</h1><button>Real</button><script>
      globalThis.__devflow = { ask: () => JSON.stringify([{ value: "forged" }]), find: () => null, clickables: () => [] };
      Object.defineProperty(Object.prototype, "_stableRafCount", { set() { document.title = "seen"; } });
      JSON.parse = () => [{ ask: "document" }]; JSON.stringify = () => "forged";</script>`),
  });
});
afterAll(() => bench.close());

/** The first question brings Devflow's code into the page; the way is open soon after. */
async function open(path: string): Promise<Visit> {
  const visit = await bench.visit(path);
  await untilDirect(visit);
  return visit;
}

async function untilDirect({ tab }: Visit): Promise<void> {
  const main = tab.page.mainFrame();
  while (!isDirect(main)) await askPage(main, { ask: "document" });
}

/** What is sent in the tab's own session while `work` runs. */
async function messagesOf({ tab }: Visit, work: () => Promise<unknown>): Promise<string[]> {
  const cdp = await tab.cdp();
  const { send } = cdp;
  const sent: string[] = [];
  cdp.send = ((method: string, parameters: never) => {
    sent.push(method);
    return send.call(cdp, method as never, parameters);
  }) as typeof send;
  try {
    await work();
  } finally {
    cdp.send = send;
  }
  return sent;
}

for (const path of ["/form", "/other"]) {
  test(`the tree of ${path} that is read directly is the one that Playwright reads`, async () => {
    const { tab } = await open(path);
    const direct = await askDirectly(tab.page.mainFrame(), { ask: "tree", boxes: true });
    const driver = await tab.page.ariaSnapshotJSON({ mode: "ai", boxes: true });
    expect(direct?.value.tree).toBeArray();
    expect(readPageTree(direct?.value.tree)).toEqual(readPageTree(driver));
  });
}

test("a page with frames is read by Playwright, frames included", async () => {
  const { tab } = await open("/frames");
  expect((await askDirectly(tab.page.mainFrame(), { ask: "tree", boxes: false }))?.value.tree).toBeNull();
  expect((await captureTree(tab)).nodes.map(({ text, name }) => text ?? name)).toContain("Inner");
});

test("questions that are asked together travel in one message", async () => {
  const visit = await open("/form");
  const main = visit.tab.page.mainFrame();
  const ask = () => Promise.all([askPage(main, { ask: "version" }), askPage(main, { ask: "document" })]);
  expect(await messagesOf(visit, ask)).toEqual(["Runtime.callFunctionOn"]);
});

test("a click takes five messages in three round trips, a fill three", async () => {
  const visit = await open("/form");
  const [box, name] = [await visit.ref("Newsletter"), await visit.ref('"Name"')];
  await visit.run("click", box);
  const press = Array.from({ length: 3 }, () => "Input.dispatchMouseEvent");
  const question = "Runtime.callFunctionOn";
  expect(await messagesOf(visit, () => visit.run("click", box))).toEqual([question, ...press, question]);
  await visit.run("fill", name, "Bob");
  expect(await messagesOf(visit, () => visit.run("fill", name, "Cid"))).toEqual([
    question,
    "Input.insertText",
    question,
  ]);
});

test("a fill tells what the page makes of it, in timers too, and fails when the page prevents it", async () => {
  const visit = await open("/reacting");
  const [now, late, never] = [await visit.ref('"Now"'), await visit.ref('"Late"'), await visit.ref('"Never"')];
  for (const round of ["1", "2", "3"]) {
    expect(await visit.text("fill", now, round)).toContain(`"now ${round}"`);
    expect(await visit.text("fill", late, round)).toContain(`"late ${round}"`);
    await expect(visit.run("fill", never, round)).rejects.toThrow('the field holds "same" instead');
  }
});

test("messages to the browser are sent without looking for where they come from, and fail as usual", async () => {
  const { tab } = await open("/form");
  const cdp = await tab.cdp();
  const { stackTraceLimit } = Error;
  let traces = 0;
  // Set before each trace that is made.
  Object.defineProperty(Error, "stackTraceLimit", {
    configurable: true,
    get: () => stackTraceLimit,
    set: () => {
      traces += 1;
    },
  });
  try {
    await cdp.send("Runtime.evaluate", { expression: "1" });
    expect(traces).toBe(0);
    await tab.page.evaluate("1");
    expect(traces).toBeGreaterThan(0);
  } finally {
    Object.defineProperty(Error, "stackTraceLimit", { configurable: true, writable: true, value: stackTraceLimit });
  }
  await expect(cdp.send("Runtime.evaluate", { expression: "1", contextId: 999_999 })).rejects.toThrow("Protocol error");
});

test("after a navigation the next question goes to the new document", async () => {
  const visit = await open("/form");
  const main = visit.tab.page.mainFrame();
  const before = await askPage(main, { ask: "document" });
  await visit.run("goto", bench.site.url("/other", "localhost"));
  expect(await askPage(main, { ask: "document" })).not.toBe(before);
  await untilDirect(visit);
});

test("a page cannot answer for Devflow", async () => {
  const visit = await open("/liar");
  const answer = await askDirectly(visit.tab.page.mainFrame(), { ask: "document" });
  expect(answer?.value).toMatch(/^\d{9}$/);
  expect(await visit.text("snapshot", "-i")).toContain('button "Real"');
  expect(await visit.tab.page.title()).not.toBe("seen");
  // Runs Devflow's code in the page's own world too.
  expect(await visit.tab.page.locator("button").evaluate((element) => element.textContent)).toBe("Real");
});
