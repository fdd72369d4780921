/** The text of a page, an element or a frame, with what its frames say. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Bench, openBench } from "../../testing/bench.ts";
import { html } from "../../testing/bench-site.ts";

let bench: Bench;
beforeAll(async () => {
  let port = 0;
  /** After the page has loaded, which would wait for it. */
  const late = (path: string) => `onload = () => setTimeout(() => { const frame = document.createElement("iframe");
    frame.title = "Card"; frame.src = "${path}"; place.append(frame); })`;
  bench = await openBench({
    "/pay": () =>
      html(`<h1>Pay</h1><div role=dialog aria-label="Confirm" id=confirm><p>Your bank asks</p><button>Cancel</button>
        <iframe title="Bank" src="http://localhost:${port}/bank"></iframe></div>
        <iframe title="Help" srcdoc="<p>Call us</p>"></iframe><iframe title="Nothing" id=nothing srcdoc=""></iframe>`),
    "/bank": html(`<p>Enter the code</p><iframe title="Code" src="/code"></iframe>`),
    "/code": html(`<p>It is 4711</p><button>Copy</button>`),
    "/shadow": html(`<div id=host></div><script>
      host.attachShadow({ mode: "open" }).innerHTML = '<iframe title="Chat" srcdoc="<p>Hello</p>"></iframe>';
    </script>`),
    "/slow": html(`<div id=place></div><script>${late("/slow-card")}</script>`),
    "/slow-card": async () => {
      await Bun.sleep(500);
      return html("<p>Card number</p>");
    },
    "/stuck": html(`<div id=place></div><script>${late("/never")}</script>`),
    "/never": () => undefined,
    "/app": html(`<iframe title="App" srcdoc="<div id=root></div><script>
      setTimeout(() => { root.textContent = 'Ready' }, 300)</script>"></iframe>`),
  });
  port = bench.site.port;
});
afterAll(() => bench.close());

test("a frame is read by its ref, with the frames in it, of another site too", async () => {
  const page = await bench.visit("/pay");
  const bank = await page.ref('iframe: "Bank"');
  expect(await page.text("text", bank)).toBe('Enter the code\n\n[frame "Code"]\nIt is 4711\n\nCopy');
  expect(await page.text("text", await page.ref('iframe: "Code"'))).toBe("It is 4711\n\nCopy");
});

test("the text of an element includes that of the frames in it, and of no others", async () => {
  const page = await bench.visit("/pay");
  const text = 'Your bank asks\n\nCancel\n\n[frame "Bank"]\nEnter the code\n\n[frame "Code"]\nIt is 4711\n\nCopy';
  expect(await page.text("text", await page.ref('dialog "Confirm"'))).toBe(text);
  expect(await page.text("text")).toBe(`Pay\n\n${text}\n\n[frame "Help"]\nCall us`);
  const shadow = await bench.visit("/shadow");
  expect(await shadow.text("text", "#host")).toBe('[frame "Chat"]\nHello');
});

test("a frame that came after the page was read can be read, even if it has no script", async () => {
  const page = await bench.visit("/slow");
  await page.run("wait", "--text", "Card number");
  expect(await page.text("snapshot")).toContain('iframe: "Card"\n  "Card number"');
});

test("a frame that is still loading is waited for", async () => {
  const page = await bench.visit("/slow");
  await page.tab.page.locator("iframe").waitFor();
  expect(await page.text("text", "#place")).toBe('[frame "Card"]\nCard number');
  const app = await bench.visit("/app");
  expect(await app.text("text", "iframe")).toBe("Ready");
});

test("a frame that takes long is said to be still loading", async () => {
  const stuck = await bench.visit("/stuck");
  await stuck.tab.page.locator("iframe").waitFor();
  const [frame, around] = await Promise.all([stuck.text("text", "iframe"), stuck.text("text", "#place")]);
  expect(frame).toBe("(still loading)");
  expect(around).toBe('[frame "Card"]\n(still loading)');
});

test("a snapshot of a part names it first, or with -s, and not both", async () => {
  const page = await bench.visit("/pay");
  const dialog = await page.ref('dialog "Confirm"');
  const lines = await page.text("snapshot", "-i", dialog);
  expect(lines).toMatch(/^@e\d+ dialog "Confirm".*\n {2}@e\d+ button "Cancel"\n {2}@e\d+ iframe: "Bank"\n/);
  expect(await page.text("snapshot", "-i", "-s", dialog)).toBe(lines);
  expect(await page.text("snapshot", "#confirm", "-i")).toBe(lines);
  const code = await page.ref('iframe: "Code"');
  expect(await page.text("snapshot", code)).toMatch(/"It is 4711"\n *@e\d+ button "Copy"$/);
  const both = page.run("snapshot", dialog, "-s", "#confirm");
  expect((await both.catch(String)) as unknown as string).toContain(
    `Both ${dialog} and -s #confirm say which part to read.`,
  );
});
