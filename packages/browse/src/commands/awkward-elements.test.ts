/** Awkward elements and servers: odd fields, names, lists, pages that never become idle, elements that vanish. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Bench, openBench } from "../../testing/bench.ts";
import { html, type SiteRoute } from "../../testing/bench-site.ts";

const routes: Record<string, SiteRoute> = {
  "/inner": html(
    `<button onclick="this.textContent='Pressed inside'">Deep inside</button><input aria-label="Deep field">`,
  ),
  "/fields": html(`<div contenteditable aria-label="Note" style="border:1px solid">Old</div>
    <label>Day <input type=date id=day></label><label>Time <input type=time></label><label>Size
      <select id=size><optgroup label="Small"><option>XS</option><option>S</option></optgroup>
      <optgroup label="Large"><option value=l>L</option><option>XL</option></optgroup></select></label>
    <label><input type=checkbox> Agree</label><label>Pin <input type=password></label><label>Amount <input type=number></label>`),
  "/virtual":
    html(`<div id=list style="height:200px;overflow:auto" role=list aria-label="Rows"><div id=pad style="position:relative"></div></div><script>
    const total = 5000, height = 20; pad.style.height = total*height + 'px';
    const draw = () => { const first = Math.floor(list.scrollTop/height); pad.replaceChildren(...Array.from({length: 12}, (_, i) => {
      const row = document.createElement('div'); row.role = 'listitem'; row.textContent = 'Row ' + (first+i);
      row.style.cssText = 'position:absolute;height:20px;top:' + (first+i)*height + 'px'; return row; })); };
    list.onscroll = draw; draw();</script>`),
  "/sticky":
    html(`<header style="position:sticky;top:0;height:80px;background:#fff;z-index:5"><button>Menu</button></header>
    <div style="height:1500px"></div><button id=far onclick="this.textContent='Reached'">Far down</button><div style="height:1500px"></div>`),
  "/restless":
    html(`<p id=clock>0</p><button onclick="document.title='clicked'; this.textContent='Done'">Go</button><script>
    let n = 0; setInterval(() => { clock.textContent = ++n; fetch('/never?' + n).catch(() => {}); }, 15);</script>`),
  "/moving":
    html(`<button id=runner style="position:absolute;width:40px;left:0" onclick="this.textContent='Caught'">Run</button><script>
    const until = performance.now() + 1_500;
    const jump = () => { if (performance.now() < until) runner.style.left = (runner.offsetLeft + 97) % 900 + 'px'; };
    const step = () => { jump(); requestAnimationFrame(step); };
    document.onmousemove = jump;
    step();</script>`),
  "/never": () => new Promise<string>((resolve) => setTimeout(() => resolve("late"), 3_000).unref()),
  "/moved": ({ response }) => {
    response.writeHead(302, { location: "/moved-again" });
    return "";
  },
  "/moved-again": ({ response }) => {
    response.writeHead(301, { location: "/inner" });
    return "";
  },
  "/broken": ({ response }) => {
    response.statusCode = 500;
    return html("<h1>It broke</h1>", "Broken");
  },
  "/private": ({ request, response }) => {
    if (request.headers.authorization === `Basic ${btoa("ann:s3cret")}`) return html("<h1>Welcome Ann</h1>", "Private");
    response.statusCode = 401;
    response.setHeader("www-authenticate", 'Basic realm="x"');
    return html("<h1>Who are you?</h1>", "Locked");
  },
  "/worker":
    html(`<p id=out>no worker</p><script>navigator.serviceWorker.register('/worker.js').then(() => navigator.serviceWorker.ready)
    .then(() => out.textContent = 'worker ready');</script><button onclick="fetch('/from-worker').then(r => r.text()).then(t => out.textContent = t)">Ask</button>`),
  "/worker.js": ({ response }) => {
    response.setHeader("content-type", "text/javascript");
    return `self.addEventListener('install', () => self.skipWaiting()); self.addEventListener('activate', (e) => e.waitUntil(clients.claim()));
      self.addEventListener('fetch', (e) => { if (e.request.url.endsWith('/from-worker')) e.respondWith(new Response('answered by the worker')); });`;
  },
  "/names":
    html(`<button dir=rtl>שמור מסמך</button><button>🎉 Feiern 👩‍👩‍👧</button><button>Say "hi": [now] {x} \\ done</button>
    <button aria-label="two&#10;lines">x</button><button>Same</button><button>Same</button><button>Same</button>`),
  "/vanish":
    html(`<button id=gone>Save draft</button><button>Save document</button><button id=wipe onclick="gone.remove()">Wipe</button>
    <button id=swap onclick="this.outerHTML='<button>Fresh</button>'">Swap</button>`),
};

let bench: Bench;
beforeAll(async () => {
  // The headless shell does not ask for basic auth.
  bench = await openBench(routes, { isWhole: true });
});
afterAll(() => bench.close());

test("editable text, dates, times and select boxes with groups take values; secrets are never shown", async () => {
  const page = await bench.visit("/fields");
  expect(await page.text("fill", await page.ref("editable"), "New words")).toContain('"Old" → "New words"');
  expect(await page.text("fill", await page.ref('"Day"'), "2026-12-31")).toContain('"2026-12-31"');
  expect(await page.text("fill", await page.ref('"Time"'), "13:45")).toContain('"13:45"');
  await expect(page.run("fill", await page.ref('"Day"'), "tomorrow")).rejects.toThrow(
    "the value does not fit this kind of field",
  );
  const size = await page.ref('combobox "Size"');
  expect(await page.text("select", size, "XL")).toContain("XL");
  expect(await page.text("select", size, "l")).toContain("chose");
  await expect(page.run("select", size, "Huge")).rejects.toThrow('it has no option "Huge"; it has "');
  expect(await page.text("check", await page.ref("Agree"))).toContain("[checked]");
  expect(await page.text("check", await page.ref("Agree"))).toContain("was already checked");
  expect(await page.text("uncheck", await page.ref("Agree"))).toContain("[no longer checked]");
  const filled = await page.text("fill", await page.ref("Pin"), "canary-4711");
  const everything = [filled, await page.text("snapshot"), await page.text("forms"), await page.text("html")].join(
    "\n",
  );
  expect(everything).toContain("••••");
  expect(everything).not.toContain("canary-4711");
});

test("a virtual list shows its current rows, and others after scrolling", async () => {
  const page = await bench.visit("/virtual");
  expect(await page.text("snapshot")).toContain("Row 3");
  expect(await page.text("scroll", "list:Rows", "--by", "2000")).toContain("Row 10");
  expect(await page.text("find", "Row 103")).toContain("Row 103");
});

test("an element under a sticky header is scrolled into the open and clicked", async () => {
  const page = await bench.visit("/sticky");
  const far = await page.ref("Far down");
  await page.text("scroll", "--to", "bottom");
  expect(await page.text("click", far)).toContain('"Far down" → "Reached"');
});

test("a page that never becomes idle is opened, read and clicked without waiting for it", async () => {
  const page = await bench.visit("/restless");
  expect(await page.text("click", await page.ref("Go"))).toContain('"Go" → "Done"');
});

test("a moving element is clicked once it stops", async () => {
  const page = await bench.visit("/moving");
  expect(await page.text("click", await page.ref("Run"))).toContain('"Caught"');
});

test("goto reports redirects, HTTP errors and basic auth", async () => {
  const page = await bench.visit();
  const moved = await page.text("goto", bench.site.url("/moved"));
  expect(moved).toContain(`redirected 302 from ${bench.site.url("/moved")}`);
  expect(moved).toContain(`redirected 301 from ${bench.site.url("/moved-again")}`);
  const broken = await page.run("goto", bench.site.url("/broken"));
  expect(broken.text).toStartWith('HTTP 500 "Broken"');
  expect(broken.data).toMatchObject({ status: 500, ok: false });
  expect(await page.text("goto", bench.site.url("/nowhere"))).toStartWith("HTTP 404");
  await expect(page.run("goto", bench.site.url("/private"))).rejects.toThrow("it requires a user name and password");
  expect(await page.text("goto", bench.site.url("/private"), "--auth", "ann:s3cret")).toStartWith('HTTP 200 "Private"');
});

test("a page with a service worker can be read, and the worker answers its requests", async () => {
  const page = await bench.visit("/worker");
  await page.text("wait", "--text", "worker ready");
  expect(await page.text("click", await page.ref("Ask"))).toContain("answered by the worker");
});

test("names in any script and with any character are kept, and find the element", async () => {
  const page = await bench.visit("/names");
  const text = await page.text("snapshot", "-i");
  expect(text).toContain('button "שמור מסמך"');
  expect(text).toContain('button "🎉 Feiern 👩‍👩‍👧"');
  expect(text).toContain(`button ${JSON.stringify('Say "hi": [now] {x} \\ done')}`);
  expect(text).toContain('button "two lines" [shows "x"]');
  expect(await page.text("is", "visible", `button:${JSON.stringify('Say "hi": [now] {x} \\ done')}`)).toBe("true");
  expect(await page.text("hover", "button:🎉 Feiern")).toContain("hovering over");
});

test("elements with the same name have different refs; the name alone is refused with those refs", async () => {
  const page = await bench.visit("/names");
  const refs = (await page.text("snapshot", "-i")).match(/@e\d+(?= button "Same")/g) ?? [];
  expect(refs).toHaveLength(3);
  await expect(page.run("click", "button:Same")).rejects.toThrow(
    `3 elements match button:Same: ${refs[0]} button "Same"`,
  );
  expect(await page.text("click", refs[1] ?? "")).toContain(`clicked ${refs[1]} button "Same"`);
});

test("a ref whose element is gone fails at once and names the closest live ones without touching them", async () => {
  const page = await bench.visit("/vanish");
  const gone = await page.ref("Save draft");
  const other = await page.ref("Save document");
  await page.text("click", await page.ref("Wipe"));
  await expect(page.run("click", gone)).rejects.toThrow(
    `${gone} button "Save draft" is no longer on the page. Closest now: ${other} button "Save document"`,
  );
  const swap = await page.ref("Swap");
  await page.text("click", swap);
  await expect(page.run("click", swap)).rejects.toThrow("is no longer on the page");
});

test("a ref of one page never means an element of the next", async () => {
  const page = await bench.visit("/vanish");
  const old = await page.ref("Save draft");
  await page.text("goto", bench.site.url("/names"));
  await page.text("snapshot", "-i");
  await expect(page.run("click", old)).rejects.toThrow(`${old} button "Save draft" is no longer on the page`);
});
