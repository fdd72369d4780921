/** The largest pages are read in steps that are said, and every command ends at its deadline. */
import { expect, test } from "bun:test";
import { openBrowserBench } from "./browser-bench.ts";

const paragraph = `<p>${"lorem ipsum dolor sit amet ".repeat(40)}</p>\n`;
const megabyte = paragraph.repeat(Math.ceil(1_000_000 / paragraph.length));
const rows = Array.from({ length: 50_000 }, (_, i) => `<li><b>Row ${i}</b><button>Buy ${i}</button></li>`).join("");

const bench = await openBrowserBench({
  "/elements": `<!doctype html><title>Rows</title><ul>${rows}</ul>
    <script>addEventListener("click", (event) => { event.target.textContent = "Bought" })</script>`,
  "/text": `<!doctype html><title>Words</title>${"<span>word</span> ".repeat(150_000)}`,
  "/bytes": (_, response) => {
    response.writeHead(200, { "content-type": "text/html" });
    response.write("<!doctype html><title>Bytes</title><button onclick='this.textContent=1'>Press</button>");
    let sent = 0;
    const more = () => {
      while (sent++ < 100) if (!response.write(megabyte)) return void response.once("drain", more);
      response.end();
    };
    more();
  },
});
const limit = 240_000;

test(
  "of 150,000 elements those in view are read, and any other is found and used",
  async () => {
    await bench.text("goto", bench.url("/elements"));
    expect(await bench.text("snapshot", "-i")).toMatch(
      /button "Buy 3"[\s\S]*… of 15\d{4} elements only \d+ were read, those in view\. For the others: scroll, find <words>/,
    );
    const found = await bench.text("find", "Buy 49876");
    expect(await bench.text("click", /@e\d+/.exec(found)?.[0] ?? "")).toContain('"Buy 49876" → "Bought"');
  },
  limit,
);

test(
  "a large page without anything to click says what it left out",
  async () => {
    await bench.text("goto", bench.url("/text"));
    expect(await bench.text("snapshot", "-i")).toMatch(/… of 15\d{4} elements only \d+ were read/);
  },
  limit,
);

test(
  "commands on a page of 100 MB end at their deadline; what has arrived is read, or the next step is named",
  async () => {
    const timed = async (...words: string[]) => {
      const start = performance.now();
      const reply = await bench.call([...words, "--timeout", "8000"]);
      // Chromium keeps both cores busy.
      expect(performance.now() - start).toBeLessThan(8_000 + 2_000);
      return reply.ok ? reply.out : `${reply.error.message} ${reply.error.hint}`;
    };
    expect(await timed("goto", bench.url("/bytes"))).toMatch(/HTTP 200|still loading|did not open/);
    await timed("stop-loading");
    expect(await timed("snapshot", "-i")).toMatch(
      /button "Press"|devflow browse (stop-loading|goto|status|wait|snapshot -i)/,
    );
    expect(await bench.text("goto", bench.url("/text"), "--timeout", "60000")).toContain("HTTP 200");
  },
  limit,
);
