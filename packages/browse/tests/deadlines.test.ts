/** Deadlines hold: a command ends when it said it would, whatever the page or the server does. */
import { expect, test } from "bun:test";
import { createServer } from "node:net";
import type { CommandReply } from "@devflow/browse/client";
import { openBrowserBench, processesNaming, until } from "./browser-bench.ts";

const page = (body: string, title = "Page") => `<!doctype html><title>${title}</title>${body}`;
const bench = await openBrowserBench({
  "/": page("<h1>Home</h1><a href=/silent>Silent</a>", "Home"),
  "/silent": () => {},
  "/drip": (_, response) => {
    response.writeHead(200);
    response.write("<title>Drip</title><button>Early</button>");
    const timer = setInterval(() => response.write("<p>drop</p>"), 100);
    response.on("close", () => clearInterval(timer));
  },
  "/restless": page(
    "<h1>Restless</h1><button>Go on</button><script>setTimeout(() => location.href = '/restless?' + Math.random(), 50)</script>",
  ),
  "/reloads": page("<h1>Reloads</h1><script>setInterval(() => location.reload(), 50)</script>", "Reloads"),
  "/spin": page("<h1>Spin</h1><script>setTimeout(() => { for (;;); }, 50)</script>", "Spin"),
  "/farewell": page(
    "<button>Stay</button><script>addEventListener('beforeunload', () => { for (;;); })</script>",
    "Farewell",
  ),
  "/alerts": page("<script>setInterval(() => alert('Again'), 10)</script>", "Alerts"),
  "/stuck": page("<button onclick='while (true) {}'>Loop</button>", "Stuck"),
});
const limit = 120_000;
/** Late by half a second at most. */
const slackMs = 500;

async function timed(...words: string[]): Promise<{ reply: CommandReply; out: string; ms: number }> {
  const start = performance.now();
  const reply = await bench.call(words);
  const out = reply.ok ? reply.out : `${reply.error.message} ${reply.error.hint}`;
  return { reply, out, ms: performance.now() - start };
}

test(
  "goto ends at its timeout when the server never answers",
  async () => {
    await bench.text("goto", bench.url("/"));
    const { reply, out, ms } = await timed("goto", bench.url("/silent"), "--timeout", "1000");
    expect(reply.ok).toBe(false);
    expect(out).toContain("did not open: the server did not answer in time.");
    expect(ms).toBeLessThan(1_000 + slackMs);
  },
  limit,
);

test(
  "a click on a link to a server that never answers says so in time, and the page can be used again",
  async () => {
    await bench.text("goto", bench.url("/"));
    const { out, ms } = await timed("click", "link:Silent", "--timeout", "1500");
    expect(out).toContain(`waiting for ${bench.url("/silent")}, which has not answered; wait --idle, or stop-loading`);
    expect(ms).toBeLessThan(1_500 + slackMs);
    await bench.text("stop-loading");
    expect(await bench.text("snapshot", "-i")).toContain('link "Silent"');
  },
  limit,
);

test(
  "a page that never finishes loading is open at the timeout, can be read, and says that it is still loading",
  async () => {
    const { out, ms } = await timed("goto", bench.url("/drip"), "--timeout", "1000");
    expect(out).toMatch(/HTTP 200 "Drip" .*\nstill loading after [\d.]+ s; it can be read; end it: stop-loading/);
    expect(ms).toBeLessThan(1_000 + slackMs);
    expect(await bench.text("snapshot", "-i")).toContain('button "Early"');
    expect(await bench.text("click", "button:Early")).toMatch(/clicked @e\d+ button "Early"/);
  },
  limit,
);

test(
  "a page that navigates every 50 ms can be read and left",
  async () => {
    for (let round = 0; round < 6; round++) {
      await bench.text("goto", bench.url("/restless"));
      const seen = await timed("snapshot", "-i");
      expect(seen.out).toContain('button "Go on"');
      expect(seen.ms).toBeLessThan(3_000);
      expect(await bench.text("goto", bench.url("/"))).toContain('HTTP 200 "Home"');
    }
  },
  limit,
);

test(
  "a picture is taken of a page that navigates or reloads every 50 ms",
  async () => {
    for (const path of ["/restless", "/reloads"]) {
      await bench.text("goto", bench.url(path));
      for (let round = 0; round < 3; round++) {
        const taken = await timed("screenshot", "--timeout", "10000");
        expect(taken.out).toMatch(/\.png \(\d+ (bytes|KB)\)\n$/);
        expect(taken.ms).toBeLessThan(5_000);
      }
    }
    await bench.text("goto", bench.url("/"));
  },
  limit,
);

test(
  "a page whose script never ends is left at once by goto, reload and back, which say that it was terminated",
  async () => {
    await bench.text("goto", bench.url("/"));
    for (const [words, arrives] of [
      [["goto", bench.url("/")], bench.url("/")],
      [["reload"], bench.url("/spin")],
      [["back"], bench.url("/")],
    ] as const) {
      await bench.text("goto", bench.url("/spin"));
      await Bun.sleep(150);
      const { out, reply, ms } = await timed(...words);
      expect(out).toMatch(new RegExp(`HTTP 200 .* ${arrives}\n`));
      expect(out.includes("the page does not answer, since a script of it does not end")).toBe(
        arrives.endsWith("/spin"),
      );
      expect(reply.notes).toEqual([
        `t1 did not answer, so the script of ${bench.url("/spin")} was terminated before it was left.`,
      ]);
      expect(ms).toBeLessThan(3_000);
    }
  },
  limit,
);

test(
  "a page that never lets go when it is left, or shows one alert after the other, does not keep goto",
  async () => {
    await bench.text("goto", bench.url("/farewell"));
    // Chromium asks only pages that a person has used.
    await bench.text("click", "button:Stay");
    const left = await timed("goto", bench.url("/alerts"));
    expect(left.out).toContain("the script of the page before it did not end when it was left, and was terminated");
    expect(left.ms).toBeLessThan(4_000);
    await Bun.sleep(200);
    const quiet = await timed("goto", bench.url("/"));
    expect(quiet.out).toContain('HTTP 200 "Home"');
    expect(quiet.ms).toBeLessThan(3_000);
  },
  limit,
);

test(
  "nothing listening is reported at once",
  async () => {
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, "127.0.0.1", resolve));
    const { port } = closed.address() as { port: number };
    await new Promise((resolve) => closed.close(resolve));
    const { out, ms } = await timed("goto", `http://127.0.0.1:${port}/`);
    expect(out).toContain("nothing is listening on 127.0.0.1:");
    expect(ms).toBeLessThan(1_500);
  },
  limit,
);

test(
  "every command on a page whose script never ends is over in time, and waiting for its turn counts",
  async () => {
    await bench.text("goto", bench.url("/stuck"));
    await bench.text("snapshot", "-i");
    const late: string[] = [];
    const commands = [
      ["click", "button:Loop", "--timeout", "1000"],
      ["js", "while (true) {}", "--timeout", "1000"],
      ["wait", "--fn", "(() => { while (true) {} })()", "--timeout", "1000"],
    ];
    for (const words of commands) {
      const { ms } = await timed(...words);
      if (ms > 1_250 + slackMs) late.push(`${words[0]} ${ms}`);
    }
    expect(late).toEqual([]);
    const first = timed("js", "while (true) {}", "--timeout", "2500");
    await until("it runs", async () => (await bench.text("status")).includes("running: js"));
    const second = await timed("snapshot", "--timeout", "600");
    expect(second.out).toContain("t1 was busy with another command");
    expect(second.ms).toBeLessThan(600 + slackMs);
    await first;
  },
  limit,
);

test(
  "a chain's timeout ends the step that is running",
  async () => {
    const { out, ms } = await timed(
      "chain",
      `goto ${bench.url("/")}`,
      `goto ${bench.url("/silent")}`,
      "--timeout",
      "1500",
    );
    expect(out).toContain("did not finish within 1.5 s");
    expect(ms).toBeLessThan(1_500 + slackMs);
    await until("nothing runs", async () => !(await bench.text("status")).includes("running:"));
  },
  limit,
);

test.skipIf(process.platform !== "linux")(
  "a crashed page is opened again at once, and reload and goto work after it",
  async () => {
    await bench.text("goto", bench.url("/"));
    const refs = async () =>
      [...(await bench.text("snapshot")).matchAll(/@e(\d+)/g)].map(([, number]) => Number(number));
    const before = await refs();
    const crash = () => {
      for (const { pid, command } of processesNaming(bench.home)) {
        if (command.includes("--type=renderer")) process.kill(pid, "SIGKILL");
      }
    };
    crash();
    const { reply, out } = await timed("reload");
    expect(out).toContain('HTTP 200 "Home"');
    expect(reply.notes?.join()).toContain(`t1 crashed and was opened again at ${bench.url("/")}`);
    // A ref from before means nothing else now.
    expect(Math.min(...(await refs()))).toBeGreaterThan(Math.max(...before));
    crash();
    expect((await timed("goto", bench.url("/"))).out).toContain('HTTP 200 "Home"');
  },
  limit,
);
