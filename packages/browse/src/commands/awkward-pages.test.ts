/** Awkward pages: frames, shadow roots, dialogs, popups, files. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Bench, openBench } from "../../testing/bench.ts";
import { html, type SiteRoute } from "../../testing/bench-site.ts";

const routes: Record<string, SiteRoute> = {
  "/nested": html(`<h1>Outer</h1><iframe src="/middle" title="middle"></iframe>`),
  "/middle": html(`<button>In the middle</button><iframe src="/inner"></iframe>`),
  "/inner": html(
    `<button onclick="this.textContent='Pressed inside'">Deep inside</button><input aria-label="Deep field">`,
  ),
  "/cross": ({ request }) => {
    const port = request.headers.host?.split(":")[1];
    return html(`<h1>Host</h1><iframe src="http://localhost:${port}/inner"></iframe>`);
  },
  "/shadow": html(`<x-open></x-open><x-closed style="display:block"></x-closed><script>
    customElements.define('x-open', class extends HTMLElement { connectedCallback() {
      const root = this.attachShadow({mode:'open'});
      root.innerHTML = '<button>Open shadow</button><p></p>';
      root.querySelector('button').onclick = () => root.querySelector('p').textContent = 'Heard in the shadow';
    }});
    customElements.define('x-closed', class extends HTMLElement { connectedCallback() {
      this.attachShadow({mode:'closed'}).innerHTML = '<button>Secret shadow</button>';
    }});</script>`),
  "/canvas": html(`<h1>Map</h1><canvas id=map width=400 height=300 aria-label="Map of Berlin"></canvas>`),
  "/dialogs": html(`<p id=out></p>
    <button onclick="alert('Watch out'); out.textContent='alerted'">Alert</button>
    <button onclick="out.textContent='confirm '+confirm('Delete everything?')">Confirm</button>
    <button onclick="out.textContent='prompt '+prompt('Your name?', 'nobody')">Prompt</button>
    <input aria-label=Draft><script>addEventListener('beforeunload', (event) => event.preventDefault())</script>`),
  "/popups": html(
    `<a href="/inner" target=_blank>Open in a new tab</a><button onclick="window.open('/inner')">Popup</button>`,
  ),
  "/files": html(`<a href="/report.csv">Report</a><input type=file aria-label="Your photo" multiple>
    <button id=choose>Choose by button</button><p id=out></p>
    <script>const pick = document.createElement('input'); pick.type = 'file';
      pick.onchange = () => out.textContent = 'picked ' + pick.files[0].name; choose.onclick = () => pick.click();</script>`),
  "/report.csv": ({ response }) => {
    response.setHeader("content-type", "text/csv");
    response.setHeader("content-disposition", 'attachment; filename="report.csv"');
    return "a,b\n1,2\n";
  },
  "/drag": html(`<div id=a draggable=true role=button tabindex=0 style="width:80px;height:40px">Card</div>
    <div id=b role=region aria-label="Done" style="width:200px;height:100px;margin-top:80px;background:#eee"></div><script>
    a.ondragstart = (event) => event.dataTransfer.setData('text/plain', 'Card');
    b.ondragover = (event) => event.preventDefault();
    b.ondrop = (event) => { event.preventDefault(); b.textContent = 'Dropped ' + event.dataTransfer.getData('text/plain'); };</script>`),
};

let bench: Bench;
beforeAll(async () => {
  bench = await openBench(routes);
});
afterAll(() => bench.close());

test("nested iframes are in one snapshot, and their elements are clicked and filled by ref", async () => {
  const page = await bench.visit("/nested");
  const text = await page.text("snapshot", "-i");
  expect(text).toContain('button "In the middle"');
  expect(await page.text("click", await page.ref("Deep inside"))).toContain('"Deep inside" → "Pressed inside"');
  expect(await page.text("fill", await page.ref("Deep field"), "down here")).toContain('"" → "down here"');
});

test("an iframe of another origin works like any other", async () => {
  const page = await bench.visit("/cross");
  expect(await page.text("click", await page.ref("Deep inside"))).toContain('"Deep inside" → "Pressed inside"');
});

test("elements in open shadow roots have refs; a closed shadow root is reported", async () => {
  const page = await bench.visit("/shadow");
  expect(await page.text("click", await page.ref("Open shadow"))).toContain('+ "Heard in the shadow"');
  const text = await page.text("snapshot");
  expect(text).toMatch(/@e\d+ <x-closed> has a closed shadow root: .* screenshot @e\d+/);
  expect(text).not.toContain("Secret shadow");
});

test("a canvas is listed with its size and a hint to take a screenshot", async () => {
  const page = await bench.visit("/canvas");
  expect(await page.text("snapshot")).toMatch(/@e\d+ canvas "Map of Berlin" 400×300: .* screenshot @e\d+/);
});

test("an alert is accepted, a confirm and a prompt are dismissed, and the receipt says so", async () => {
  const page = await bench.visit("/dialogs");
  expect(await page.text("click", await page.ref("Alert"))).toContain('dialog alert "Watch out" accepted');
  const confirm = await page.ref("Confirm");
  const asked = await page.text("click", confirm);
  expect(asked).toContain('dialog confirm "Delete everything?" dismissed; to accept it: dialog accept');
  expect(asked).toContain("confirm false");
  await page.text("dialog", "accept");
  expect(await page.text("click", confirm)).toContain("confirm true");
  expect(await page.text("click", confirm)).toContain("confirm false");
  await page.text("dialog", "accept", "Ann");
  expect(await page.text("click", await page.ref("Prompt"))).toContain("prompt Ann");
  expect((await page.text("dialogs")).split("\n")).toHaveLength(5);
});

test("a page that asks before unloading is left, and its dialog is reported", async () => {
  const page = await bench.visit("/dialogs");
  await page.text("fill", await page.ref("Draft"), "x");
  await page.text("click", await page.ref("Draft"));
  expect(await page.text("goto", bench.site.url("/inner"))).toContain("dialog beforeunload");
});

test("links that open a new tab are reported, and this tab stays", async () => {
  const page = await bench.visit("/popups");
  for (const name of ["Open in a new tab", "Popup"]) {
    expect(await page.text("click", await page.ref(name))).toContain("opened a new tab: ");
    expect(page.tab.page.url()).toEndWith("/popups");
  }
});

test("a download is reported, and saved to the given path", async () => {
  const page = await bench.visit("/files");
  const report = await page.ref("Report");
  expect(await page.text("click", report)).toContain('download "report.csv"');
  expect(await page.text("download", "--save", "last.csv")).toContain("last.csv");
  expect(await page.text("download", report, "--save", "again.csv")).toMatch(
    /^clicked .* and saved \S*again\.csv \(\d+ bytes\)$/,
  );
  expect(await readFile(join(bench.folder, "last.csv"), "utf8")).toBe("a,b\n1,2\n");
  expect(await readFile(join(bench.folder, "again.csv"), "utf8")).toBe("a,b\n1,2\n");
});

test("files are uploaded to a file field, and through a chooser that a button opens", async () => {
  const page = await bench.visit("/files");
  await writeFile(join(bench.folder, "photo.png"), "x");
  const field = await page.ref("Your photo");
  expect(await page.text("upload", field, "photo.png")).toContain("uploaded photo.png to");
  expect(await page.text("snapshot", "-i")).toContain('"photo.png"');
  expect(await page.text("upload", await page.ref("Choose by button"), "photo.png")).toContain("picked photo.png");
});

test("an element is dragged onto another", async () => {
  const page = await bench.visit("/drag");
  const card = await page.ref("Card");
  expect(await page.text("drag", card, "region:Done")).toContain("Dropped Card");
});
