import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { cleanEnvironment } from "./clean-environment.ts";
import { expectNoLeaks, runProcess, startProcess, temporaryFolder, temporaryHome } from "./index.ts";

const home = temporaryHome();
const env = home.environment();
const shell = (script: string) => ["/bin/sh", "-c", script];

describe("a process of a test", () => {
  test("returns what it printed and how it ended", async () => {
    const result = await runProcess(shell("cat; echo talk >&2; exit 7"), { env, stdin: '{"a":1}' });
    expect({ ...result, json: result.json() }).toEqual({
      code: 7,
      killedBy: null,
      stdout: '{"a":1}',
      stderr: "talk\n",
      json: { a: 1 },
    });
  });

  test("runs in its own home, with nothing of the user who runs the tests", async () => {
    process.env.DEVFLOW_PORT = "1";
    process.env.ANTHROPIC_API_KEY = "a key of mine";
    try {
      const { stdout } = await runProcess(["env"], { env: cleanEnvironment(home, { MINE: "yes" }) });
      const names = stdout
        .trim()
        .split("\n")
        .map((line) => line.split("=")[0] ?? "")
        .filter((name) => !/^(LC_ALL|TZ|SSL_.*|NODE_EXTRA_CA_CERTS|_|PWD|SHLVL)$/.test(name));
      expect(names.sort()).toEqual([
        "DEVFLOW_HOME",
        "DEVFLOW_TEST_TAG",
        "HOME",
        "LANG",
        "MINE",
        "PATH",
        "TERM",
        "TMPDIR",
      ]);
      expect(stdout).toContain(`\nHOME=${home.path}\n`);
    } finally {
      delete process.env.DEVFLOW_PORT;
      delete process.env.ANTHROPIC_API_KEY;
    }
  });

  test("is killed with everything it started when its time is up, and its output is reported", async () => {
    const run = runProcess(shell("echo started; sleep 1000 & sleep 1000"), { env, timeoutMs: 3_000 });
    await expect(run).rejects.toThrow(/took longer than 3000 ms and was killed\.\nstdout: started/);
    await expectNoLeaks();
  });

  test("is killed with everything it started when it is aborted", async () => {
    const abort = new AbortController();
    const run = runProcess(shell("sleep 1000 & sleep 1000"), { env, signal: abort.signal });
    abort.abort();
    await expect(run).rejects.toThrow("was aborted");
    await expectNoLeaks();
  });

  test("that cannot be started is reported", async () => {
    await expect(runProcess(["/no/such/program"], { env })).rejects.toThrow("/no/such/program could not be started");
  });

  test("accepts input while it runs and is stopped at the end of its block", async () => {
    {
      await using running = startProcess(shell("echo ready; while read line; do echo got $line; done; sleep 1000"), {
        env,
      });
      await running.waitForOutput(/ready/);
      running.write("this\n");
      expect((await running.waitForOutput(/got (\w+)/))[1]).toBe("this");
    }
    await expectNoLeaks();
  });

  test("that exits before printing the expected output fails the wait at once", async () => {
    const running = startProcess(shell("echo something else; exit 3"), { env });
    await expect(running.waitForOutput(/never/)).rejects.toThrow(/ended without printing .*\nstdout: something else/);
  });

  test("that ignores SIGTERM is killed after the grace period", async () => {
    const running = startProcess(shell("trap '' TERM; echo ready; while :; do sleep 1; done"), { env });
    await running.waitForOutput(/ready/);
    expect((await running.stop(100)).killedBy).toBe("SIGKILL");
    await expectNoLeaks();
  });
});

test("a test run that is interrupted ends its processes", async () => {
  const entry = fileURLToPath(new URL("./index.ts", import.meta.url));
  const script = `import { startProcess } from ${JSON.stringify(entry)};
    const running = startProcess(["/bin/sh", "-c", "sleep 1000 & echo ready; sleep 1000"], { env: process.env });
    await running.waitForOutput(/ready/);
    process.exit(5);`;
  expect((await runProcess([process.execPath, "-e", script], { env })).code).toBe(5);
  await expectNoLeaks();
});

describe("a temporary home", () => {
  let path = "";
  test("is empty, private and short enough for Unix sockets", async () => {
    const inner = temporaryHome();
    path = inner.path;
    expect(path.length).toBeLessThan(40);
    expect(
      (await runProcess(shell("ls -A; stat -c %a . 2>/dev/null || stat -f %Lp ."), { env, cwd: path })).stdout,
    ).toBe("700\n");
    expect(temporaryFolder()).not.toBe(temporaryFolder());
  });
  test("is removed after the test", () => {
    expect({ path: path !== "", exists: existsSync(path) }).toEqual({ path: true, exists: false });
  });
});
