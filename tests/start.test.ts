/** `npm start` as a newcomer types it, in a clone that is set up. */
import { expect, test } from "bun:test";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { homeAt } from "@devflow/core/home";
import { postgresPlaces } from "@devflow/db";
import { runCli, runProcess, startProcess, type TemporaryHome, temporaryHome } from "@devflow/testkit";

const script = join(import.meta.dir, "../scripts/start.mjs");
const limitMs = 90_000;

function removeData(home: TemporaryHome): void {
  rmSync(postgresPlaces(homeAt(home.devflowHome).postgresFolder).base, { recursive: true, force: true });
}

test(
  "--once does the demo, prints a short summary and leaves nothing running",
  async () => {
    const home = temporaryHome();
    try {
      const env = home.environment({ DEVFLOW_PORT: "0" });
      const { code, stdout } = await runProcess(["node", script, "--once"], { env, timeoutMs: limitMs });
      expect(code).toBe(0);
      expect(stdout).toContain("works on this machine");
      expect(stdout).toMatch(/completed: \d phases, \d+ events, verified/);
      expect(existsSync(/report (\S+\.report\.md)/.exec(stdout)?.[1] ?? "")).toBe(true);
      expect(stdout.trim().split("\n").length).toBeLessThan(10);
    } finally {
      removeData(home);
    }
  },
  2 * limitMs,
);

test(
  "in the foreground it prints the address, and Ctrl-C stops the server and its Postgres",
  async () => {
    const home = temporaryHome();
    try {
      await using running = startProcess(["node", script], { env: home.environment({ DEVFLOW_PORT: "0" }) });
      const [, url = ""] = await running.waitForOutput(/(http:\/\/127\.0\.0\.1:\d+)/, limitMs);
      expect(await (await fetch(`${url}/health`)).json()).toEqual({ ok: true });
      const [, run = ""] = await running.waitForOutput(/devflow run approve ([0-9a-f]{8})/, limitMs);
      const abort = await runCli(["run", "abort", run], { home });
      expect(abort.stdout).toContain("Aborted");
      // Agents outlive a server; those of a run that has ended are ended with it.
      while (!(await runCli(["run", "report", run], { home })).stdout) await Bun.sleep(50);
      process.kill(-running.pid, "SIGINT");
      const { code, killedBy } = await running.ended;
      expect({ code, killedBy }).toEqual({ code: 0, killedBy: null });
      expect(fetch(`${url}/health`)).rejects.toThrow();
    } finally {
      removeData(home);
    }
  },
  2 * limitMs,
);
