/** The remaining commands that read and act, on a real page. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { canRun, lackOfProgram } from "@devflow/testkit";
import { type Bench, openBench, pageCommands } from "../../testing/bench.ts";
import { html } from "../../testing/bench-site.ts";
import { startSelfSignedSite } from "../../testing/self-signed-site.ts";

let bench: Bench;
const asked: { agent: string | undefined; env: string | undefined }[] = [];
beforeAll(async () => {
  bench = await openBench({
    "/": html(`<h1>Home</h1><a href="/two">Two</a><a href="/two">Two again</a><img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">
      <form name="order" action="/order" method="post"><label>Name <input name="name" required></label>
      <label>Size <select name="size"><option>S</option><option>M</option></select></label></form>
      <input aria-label="Search" id="search" onkeydown="if (event.key === 'Enter') out.textContent = 'searched ' + this.value">
      <p id="out"></p><p id="ready" hidden>Ready now</p><div id="spinner">Loading</div>
      <a id="menu" href="#" onmouseover="out.textContent = 'hovered'">Menu</a>
      <button id="later" onclick="setTimeout(() => { ready.hidden = false; spinner.remove(); location.hash = 'done' }, 150)">Later</button>
      <script>console.warn('careful'); console.error('went wrong'); document.cookie = 'session=abcdefghijklmnop';
        localStorage.theme = 'dark'; localStorage.authToken = 'secret-canary-value';</script>`),
    "/two": html("<h1>Two</h1>", "Second"),
    "/pay": () =>
      html(`<label><input type=radio name=way checked><span>Express<br><span>next day</span></span><span>€12.50</span></label>
        <iframe title="Secure card payment" src="${bench.site.url("/card", "localhost")}"></iframe>`),
    "/card": html(`<form name=card><input aria-label="Card number" autocomplete=cc-number value=4242></form>`),
    "/echo": ({ request }) => {
      asked.push({ agent: request.headers["user-agent"], env: request.headers["x-env"] as string | undefined });
      return html("<h1>Echo</h1>", "Echo");
    },
    "/api": () => "real answer",
    "/scheme":
      html(`<style>@media (prefers-color-scheme: dark) { #light { display: none } } @media (max-width: 500px) { #wide { display: none } }</style>
      <p id="light">Bright</p><p id="wide">Wide</p>`),
  });
});
afterAll(() => bench.close());

test("every command has a summary and an example, and names are unique", () => {
  const names = pageCommands.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(pageCommands.filter(({ summary, examples }) => !summary || examples.length === 0)).toEqual([]);
  expect(pageCommands.flatMap(({ name, examples }) => examples.filter(({ run }) => !run.startsWith(name)))).toEqual([]);
});

test("history goes back and forward, and fails at its end", async () => {
  const page = await bench.visit("/");
  await page.text("click", "text=Two again");
  expect(await page.text("back")).toContain('HTTP 200 "Test page"');
  expect(await page.text("forward")).toContain('HTTP 200 "Second"');
  await expect(page.run("forward")).rejects.toThrow("there is no page to go forward to");
  expect(await page.text("reload", "--until", "idle")).toContain('"Second"');
});

test("a server that is down is reported in one line with the next command", async () => {
  const page = await bench.visit();
  const error = await page.run("goto", "127.0.0.1:1").catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: "browse_navigation_failed", hint: expect.stringContaining("devflow browse") });
  expect(String(error)).not.toContain("\n");
});

test("text, markup, links and forms are read", async () => {
  const page = await bench.visit("/");
  expect(await page.text("text", "h1")).toBe("Home");
  await page.text("js", "out.textContent = 'long '.repeat(100)");
  expect(await page.text("text", "--max", "100")).toMatch(/… \d+ more characters; all: --max \d+$/);
  expect(await page.text("html", "h1")).toBe("<h1>Home</h1>");
  expect((await page.run("links")).data).toMatchObject({ total: 2 });
  const forms = await page.text("forms");
  expect(forms).toContain(`form "order" POST ${bench.site.url("/order")}`);
  expect(forms).toContain('text "Name" [required; Please fill out this field.]: ""');
  expect(forms).toContain('select-one "Size": "S" of S | M');
});

test("fields in frames of other sites are among the forms, with their frame and without secrets", async () => {
  const page = await bench.visit("/pay");
  await page.tab.page.frameLocator("iframe").locator("input").waitFor();
  expect((await page.text("forms")).split("\n")).toEqual([
    'form "(no form)"',
    '  radio "Express next day €12.50": "true"',
    `form "card" GET ${bench.site.url("/card", "localhost")} in frame "Secure card payment"`,
    '  text "Card number": "••••"',
  ]);
});

test("the console, errors, requests, cookies and storage are read, secrets shortened", async () => {
  const page = await bench.visit("/");
  expect(await page.text("console", "--level", "warn")).toContain('warn "careful"');
  expect(await page.text("errors")).toContain('error "went wrong"');
  expect(await page.text("network", "--type", "document")).toContain(`200 GET ${bench.site.url("/")} document`);
  expect(await page.text("cookies")).toContain("session=ab…(16)");
  const storage = await page.text("storage");
  expect(storage).toContain('local theme="dark"');
  expect(storage).not.toContain("secret-canary-value");
});

test("an element's attributes, styles and states are read", async () => {
  const page = await bench.visit("/");
  expect(await page.text("attrs", "#search")).toContain('aria-label="Search"');
  expect(await page.text("css", "h1", "display", "font-weight")).toBe("display: block\nfont-weight: 700");
  expect(await page.text("is", "visible", "#ready")).toBe("false");
  expect(await page.text("is", "hidden", "#nothing-like-it")).toBe("true");
  expect(await page.text("is", "enabled", "#later")).toBe("true");
  await expect(page.run("is", "enabled", "#nothing-like-it")).rejects.toThrow("Nothing matches #nothing-like-it.");
});

test("the accessibility audit lists violations, and the vitals are rated", async () => {
  const page = await bench.visit("/");
  expect(await page.text("accessibility", "--tags", "wcag2a")).toContain("critical image-alt");
  expect(await page.text("vitals")).toMatch(/^LCP (\d+ ms|-) .*\nCLS [\d.]+ good\n/);
  expect(await page.text("perf")).toContain("first byte");
});

test("keys go to the focused element or a given one", async () => {
  const page = await bench.visit("/");
  const search = await page.ref("Search");
  expect(await page.text("type", "shoes", search)).toContain('"" → "shoes"');
  expect(await page.text("type", "!")).toContain('"shoes" → "shoes!"');
  expect(await page.text("press", "Enter", search)).toContain("searched shoes!");
  await expect(page.run("press", "Entr")).rejects.toThrow('Unknown key: "Entr"');
  expect(await page.text("hover", "#menu")).toContain("hovered");
});

test("wait ends when the text, the URL or the condition is met, or the element is gone", async () => {
  const page = await bench.visit("/");
  await page.text("click", "#later");
  expect(await page.text("wait", "--text", "Ready now")).toContain('"Ready now"');
  expect(await page.text("wait", "#spinner", "--hidden")).toContain("to be gone");
  expect(await page.text("wait", "--url", "#done", "--fn", "ready.hidden === false")).toContain("a URL with #done");
  expect(await page.text("wait", "h1")).toMatch(/h1 is @e\d+ heading "Home"$/);
  await expect(page.run("wait", "--text", "never", "--timeout", "150")).rejects.toThrow(
    'Timed out after 0.15 s waiting for "never"',
  );
  await expect(page.run("wait")).rejects.toThrow("wait needs something to wait for");
});

test("the page sees the emulated viewport, colour scheme, device and location", async () => {
  const page = await bench.visit("/scheme");
  expect(await page.text("media", "--scheme", "dark")).toContain('- "Bright"');
  expect(await page.text("viewport", "400x800")).toContain('- "Wide"');
  expect(await page.text("device", "pixel 7")).toContain("this tab emulates Pixel 7 (412×839)");
  expect(await page.text("js", "navigator.userAgent")).toContain("Pixel 7");
  await expect(page.run("device", "Pixel 77")).rejects.toThrow("was not found");
  await page.text("geo", "52.52,13.4");
  const place = "new Promise((ok) => navigator.geolocation.getCurrentPosition((p) => ok(p.coords.latitude)))";
  expect(await page.text("js", place)).toBe("52.52");
});

test("custom headers and user agent are sent, and can be reset", async () => {
  const page = await bench.visit();
  await page.text("useragent", "Tester/1");
  expect(await page.text("headers", "X-Env: canary-value")).toBe("sent with every request of this tab: X-Env");
  await page.text("goto", bench.site.url("/echo"));
  await page.text("useragent", "off");
  await page.text("headers", "off");
  await page.text("goto", bench.site.url("/echo"));
  expect(asked[0]).toEqual({ agent: "Tester/1", env: "canary-value" });
  expect(asked[1]?.agent).toContain("Chrome");
  expect(asked[1]?.env).toBeUndefined();
});

test("requests are mocked or blocked, and the network is turned off and on", async () => {
  const page = await bench.visit("/");
  const fetched = "fetch('/api').then((r) => r.text(), () => 'failed')";
  await page.text("route", "**/api", "--body", "made up");
  expect(await page.text("js", fetched)).toBe("made up");
  expect(await page.text("route")).toBe("**/api: answered with 200 and 7 characters, used 1 times");
  await page.text("route", "**/api", "--block");
  expect(await page.text("js", fetched)).toBe("failed");
  await page.text("route", "**/api", "--off");
  expect(await page.text("js", fetched)).toBe("real answer");
  await page.text("offline", "on");
  expect(await page.text("js", fetched)).toBe("failed");
  await page.text("offline", "off");
  expect(await page.text("throttle", "fast-4g", "--cpu", "2")).toContain("2 times slower");
  expect(await page.text("js", fetched)).toBe("real answer");
  await page.text("throttle", "off");
});

test("cookies and storage are set and removed", async () => {
  const page = await bench.visit("/");
  expect(await page.text("cookie", "flavour", "vanilla-canary")).not.toContain("vanilla-canary");
  expect(await page.text("js", "document.cookie")).toContain("flavour=vanilla-canary");
  await page.text("cookie", "flavour");
  expect(await page.text("js", "document.cookie")).not.toContain("flavour");
  await page.text("storage-set", "step", "3", "--area", "session");
  expect(await page.text("storage", "step")).toBe('session step="3"');
  await page.text("storage-set", "step", "--area", "session");
  expect(await page.text("storage", "step")).toBe("nothing is stored");
});

test("JavaScript runs as an expression or as statements, and its failure is one line", async () => {
  const page = await bench.visit("/");
  expect(await page.text("js", "1 + 1")).toBe("2");
  expect(await page.text("js", "const a = 2; return { a }")).toBe('{"a":2}');
  const failure = (script: string) => page.run("js", script).catch((thrown: Error) => thrown.message);
  const problem = "The script failed in the page:";
  expect(await failure("nothing.at.all")).toBe(`${problem} ReferenceError: nothing is not defined`);
  expect(await failure("throw { code: 5 }")).toBe(`${problem} {"code":5}`);
  expect(await failure("if (")).toBe(`${problem} SyntaxError: Unexpected token '}'`);
  expect(await failure("location = '/form'; await new Promise(() => {})")).toStartWith(
    `${problem} the page went elsewhere`,
  );
  // One that fails on its own JSON is not run a second time.
  await failure("window.runs = (window.runs ?? 0) + 1, JSON.parse('{')");
  expect(await page.text("js", "window.runs")).toBe("1");
});

test.each([
  ["undefined", "undefined"],
  ["0 / 0", "NaN"],
  ["[1n, -1 / 0]", '["1n","-Infinity"]'],
  ["const self = { name: 'a' }; self.self = self; return self", '{"name":"a","self":"[circular]"}'],
  ["document.querySelector('h1')", "<h1>"],
  ["document.querySelectorAll('h1')", '["<h1>"]'],
  ["window", "[window]"],
  ["new Error('bad')", "Error: bad"],
  ["new Date(0)", "1970-01-01T00:00:00.000Z"],
  ["[new Map([['a', 1]]), new Map([[1, 2]]), new Set([3])]", '[{"a":1},[[1,2]],[3]]'],
  ["() => 1", "function"],
  ["({ get bad() { throw 1 }, ok: undefined, one: 1 })", '{"one":1}'],
  ["Array.prototype.toJSON = () => 'broken'; return [1]", "[1]"],
])("the value of `js %s` can be read", async (script, shown) => {
  const page = await bench.visit("/");
  expect(await page.text("js", script)).toBe(shown);
});

const hasOpenssl = await canRun("the page with a self-signed certificate", () =>
  lackOfProgram("openssl", "version", "apt-get install openssl"),
);
test.skipIf(!hasOpenssl)("a self-signed certificate is refused, and accepted with --insecure", async () => {
  const site = await startSelfSignedSite(bench.folder, html("<h1>Signed by nobody</h1>", "Own"));
  try {
    const page = await bench.visit();
    const refused = await page.run("goto", site.url).catch((thrown: unknown) => thrown);
    expect(refused).toMatchObject({
      message: `${site.url} did not open: its certificate cannot be verified.`,
      hint: `If you trust it: devflow browse goto ${site.url} --insecure`,
    });
    expect(await page.text("goto", site.url, "--insecure")).toStartWith('HTTP 200 "Own"');
  } finally {
    await site.close();
  }
});
