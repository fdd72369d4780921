/** The other commands that read and act, on a real page. */
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

test("every command has a summary and an example, and none is there twice", () => {
  const names = pageCommands.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(pageCommands.filter(({ summary, examples }) => !summary || examples.length === 0)).toEqual([]);
  expect(pageCommands.flatMap(({ name, examples }) => examples.filter(({ run }) => !run.startsWith(name)))).toEqual([]);
});

test("history goes back and forward, and says when it ends", async () => {
  const page = await bench.visit("/");
  await page.say("click", "text=Two again");
  expect(await page.say("back")).toContain('HTTP 200 "Test page"');
  expect(await page.say("forward")).toContain('HTTP 200 "Second"');
  await expect(page.run("forward")).rejects.toThrow("there is no page to go forward to");
  expect(await page.say("reload", "--until", "idle")).toContain('"Second"');
});

test("a server that is not there is told in one line with the next command", async () => {
  const page = await bench.visit();
  const error = await page.run("goto", "127.0.0.1:1").catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: "browse_navigation_failed", hint: expect.stringContaining("devflow browse") });
  expect(String(error)).not.toContain("\n");
});

test("words, markup, links and forms are read", async () => {
  const page = await bench.visit("/");
  expect(await page.say("text", "h1")).toBe("Home");
  await page.say("js", "out.textContent = 'long '.repeat(100)");
  expect(await page.say("text", "--max", "100")).toMatch(/… \d+ more characters; all: --max \d+$/);
  expect(await page.say("html", "h1")).toBe("<h1>Home</h1>");
  expect((await page.run("links")).data).toMatchObject({ total: 2 });
  const forms = await page.say("forms");
  expect(forms).toContain(`form "order" POST ${bench.site.url("/order")}`);
  expect(forms).toContain('text "Name" [required; Please fill out this field.]: ""');
  expect(forms).toContain('select-one "Size": "S" of S | M');
});

test("the console, errors, requests, cookies and storage are read, secrets shortened", async () => {
  const page = await bench.visit("/");
  expect(await page.say("console", "--level", "warn")).toContain('warn "careful"');
  expect(await page.say("errors")).toContain('error "went wrong"');
  expect(await page.say("network", "--type", "document")).toContain(`200 GET ${bench.site.url("/")} document`);
  expect(await page.say("cookies")).toContain("session=ab…(16)");
  const storage = await page.say("storage");
  expect(storage).toContain('local theme="dark"');
  expect(storage).not.toContain("secret-canary-value");
});

test("an element's attributes, styles and states are read", async () => {
  const page = await bench.visit("/");
  expect(await page.say("attrs", "#search")).toContain('aria-label="Search"');
  expect(await page.say("css", "h1", "display", "font-weight")).toBe("display: block\nfont-weight: 700");
  expect(await page.say("is", "visible", "#ready")).toBe("false");
  expect(await page.say("is", "hidden", "#nothing-like-it")).toBe("true");
  expect(await page.say("is", "enabled", "#later")).toBe("true");
  await expect(page.run("is", "enabled", "#nothing-like-it")).rejects.toThrow("Nothing matches #nothing-like-it.");
});

test("the audit names what is wrong, and the vitals are rated", async () => {
  const page = await bench.visit("/");
  expect(await page.say("accessibility", "--tags", "wcag2a")).toContain("critical image-alt");
  expect(await page.say("vitals")).toMatch(/^LCP (\d+ ms|-) .*\nCLS [\d.]+ good\n/);
  expect(await page.say("perf")).toContain("first byte");
});

test("keys go into the focus or into an element", async () => {
  const page = await bench.visit("/");
  const search = await page.ref("Search");
  expect(await page.say("type", "shoes", search)).toContain('"" → "shoes"');
  expect(await page.say("type", "!")).toContain('"shoes" → "shoes!"');
  expect(await page.say("press", "Enter", search)).toContain("searched shoes!");
  await expect(page.run("press", "Entr")).rejects.toThrow('Unknown key: "Entr"');
  expect(await page.say("hover", "#menu")).toContain("hovered");
});

test("waiting ends when the words, the address, the condition or the absence is there", async () => {
  const page = await bench.visit("/");
  await page.say("click", "#later");
  expect(await page.say("wait", "--text", "Ready now")).toContain('"Ready now"');
  expect(await page.say("wait", "#spinner", "--hidden")).toContain("to be gone");
  expect(await page.say("wait", "--url", "#done", "--fn", "ready.hidden === false")).toContain("an address with #done");
  expect(await page.say("wait", "h1")).toMatch(/h1 is @e\d+ heading "Home"$/);
  await expect(page.run("wait", "--text", "never", "--timeout", "150")).rejects.toThrow(
    'Waited 0.15 s in vain for "never"',
  );
  await expect(page.run("wait")).rejects.toThrow("wait needs something to wait for");
});

test("the page believes the window, the scheme, the device and the place it is told", async () => {
  const page = await bench.visit("/scheme");
  expect(await page.say("media", "--scheme", "dark")).toContain('- "Bright"');
  expect(await page.say("viewport", "400x800")).toContain('- "Wide"');
  expect(await page.say("device", "pixel 7")).toContain("this tab is a Pixel 7 (412×839)");
  expect(await page.say("js", "navigator.userAgent")).toContain("Pixel 7");
  await expect(page.run("device", "Pixel 77")).rejects.toThrow("was not found");
  await page.say("geo", "52.52,13.4");
  const place = "new Promise((ok) => navigator.geolocation.getCurrentPosition((p) => ok(p.coords.latitude)))";
  expect(await page.say("js", place)).toBe("52.52");
});

test("headers and the user agent are sent, and Chromium's own come back", async () => {
  const page = await bench.visit();
  await page.say("useragent", "Tester/1");
  expect(await page.say("headers", "X-Env: canary-value")).toBe("sent with every request of this tab: X-Env");
  await page.say("goto", bench.site.url("/echo"));
  await page.say("useragent", "off");
  await page.say("headers", "off");
  await page.say("goto", bench.site.url("/echo"));
  expect(asked[0]).toEqual({ agent: "Tester/1", env: "canary-value" });
  expect(asked[1]?.agent).toContain("Chrome");
  expect(asked[1]?.env).toBeUndefined();
});

test("requests are answered here or blocked, the network goes away and comes back", async () => {
  const page = await bench.visit("/");
  const fetched = "fetch('/api').then((r) => r.text(), () => 'failed')";
  await page.say("route", "**/api", "--body", "made up");
  expect(await page.say("js", fetched)).toBe("made up");
  expect(await page.say("route")).toBe("**/api: answered with 200 and 7 characters, used 1 times");
  await page.say("route", "**/api", "--block");
  expect(await page.say("js", fetched)).toBe("failed");
  await page.say("route", "**/api", "--off");
  expect(await page.say("js", fetched)).toBe("real answer");
  await page.say("offline", "on");
  expect(await page.say("js", fetched)).toBe("failed");
  await page.say("offline", "off");
  expect(await page.say("throttle", "fast-4g", "--cpu", "2")).toContain("2 times slower");
  expect(await page.say("js", fetched)).toBe("real answer");
  await page.say("throttle", "off");
});

test("cookies and storage are set and removed", async () => {
  const page = await bench.visit("/");
  expect(await page.say("cookie", "flavour", "vanilla-canary")).not.toContain("vanilla-canary");
  expect(await page.say("js", "document.cookie")).toContain("flavour=vanilla-canary");
  await page.say("cookie", "flavour");
  expect(await page.say("js", "document.cookie")).not.toContain("flavour");
  await page.say("storage-set", "step", "3", "--area", "session");
  expect(await page.say("storage", "step")).toBe('session step="3"');
  await page.say("storage-set", "step", "--area", "session");
  expect(await page.say("storage", "step")).toBe("nothing is stored");
});

test("JavaScript runs as an expression or as statements, and its failure is one line", async () => {
  const page = await bench.visit("/");
  expect(await page.say("js", "1 + 1")).toBe("2");
  expect(await page.say("js", "const a = 2; return { a }")).toBe('{"a":2}');
  const error = await page.run("js", "nothing.at.all").catch((thrown: Error) => thrown.message);
  expect(error).toBe("The script failed in the page: ReferenceError: nothing is not defined");
});

const hasOpenssl = await canRun("the page with a self-signed certificate", () =>
  lackOfProgram("openssl", "version", "apt-get install openssl"),
);
test.skipIf(!hasOpenssl)("a self-signed certificate is refused, and accepted when asked to", async () => {
  const site = await startSelfSignedSite(bench.folder, html("<h1>Signed by nobody</h1>", "Own"));
  try {
    const page = await bench.visit();
    const refused = await page.run("goto", site.url).catch((thrown: unknown) => thrown);
    expect(refused).toMatchObject({
      message: `${site.url} did not open: its certificate cannot be verified.`,
      hint: `If you trust it: devflow browse goto ${site.url} --insecure`,
    });
    expect(await page.say("goto", site.url, "--insecure")).toStartWith('HTTP 200 "Own"');
  } finally {
    await site.close();
  }
});
