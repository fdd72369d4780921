import { expect, test } from "bun:test";
import { isSameProcess } from "@devflow/core/process-proof";
import { openBrowserBench, processesNaming, until } from "./browser-bench.ts";

const bench = await openBrowserBench({
  "/": '<!doctype html><title>Count</title><button onclick="this.textContent = Number(this.textContent) + 1">0</button>',
});
/** `npm run soak` runs the long version. */
const isLong = process.env.DEVFLOW_TEST_SOAK !== undefined;
const commands = isLong ? 200 : 40;
const kills = isLong ? 20 : 6;

/** A fixed series, so that a failure can be reproduced. */
function series(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

test("killing Chromium and the daemon at random during many commands leaves no process, and the next command works", async () => {
  const random = series(7);
  const killAt = new Set(
    Array.from({ length: kills }, (_, index) => Math.floor(((index + random()) * commands) / kills)),
  );
  const failures: string[] = [];
  await bench.text("goto", bench.url("/"));
  for (let number = 0; number < commands; number++) {
    const words = [["js", "document.title"], ["click", "button"], ["tabs"]][number % 3] ?? [];
    const running = bench
      .call(words)
      .catch((error: { code?: string }) => ({ ok: false as const, error: { code: String(error.code) } }));
    if (killAt.has(number)) await killOne(random);
    const reply = await running;
    if (!reply.ok) failures.push(reply.error.code);
    // Whatever happened to that command, the next one finds a browser with the page.
    if (killAt.has(number)) {
      const after = await bench.call(["js", "document.title"]);
      expect(after.ok ? after.out : JSON.stringify(after.error)).toContain("Count");
    }
  }
  // Only commands interrupted by a kill failed, and they say so.
  expect(failures.length).toBeLessThanOrEqual(kills);
  expect(
    failures.filter((code) => !/^browse_(?:lost|page_failed|script_failed|action_failed|no_match)$/.test(code)),
  ).toEqual([]);
  const { pid } = bench.daemon();
  const [daemon] = processesNaming(bench.workspace.root).filter(({ command }) => command.includes("browse-daemon"));
  expect(daemon?.pid).toBe(pid);
  const browsers = processesNaming(bench.home).filter(
    ({ command }) => command.includes("--user-data-dir=") && !command.includes("--type="),
  );
  expect(browsers.filter(({ command }) => !command.includes("crashpad"))).toHaveLength(1);
}, 600_000);

async function killOne(random: () => number): Promise<void> {
  await Bun.sleep(random() * 50);
  if (random() < 0.5) {
    const daemon = bench.daemon();
    process.kill(daemon.pid, "SIGKILL");
    await until("it is gone", () => !isSameProcess(daemon));
    return;
  }
  const browser = processesNaming(bench.home).find(
    ({ command }) => command.includes("--remote-debugging-pipe") && !command.includes("--type="),
  );
  if (!browser) return;
  process.kill(browser.pid, "SIGKILL");
  await until("it is gone", () => !processesNaming(bench.home).some(({ pid }) => pid === browser.pid));
}
