import { expect, test } from "bun:test";
import { version } from "@devflow/core/version";
import { devflowCommand, runCli, runProcess, temporaryHome } from "./index.ts";
import type { RunCommandLine } from "./run-cli.ts";

const home = temporaryHome();
const echo: RunCommandLine = async (words, io) => {
  io.stdout(JSON.stringify({ words, cwd: io.cwd, home: io.env.HOME, mine: io.env.MINE, stdin: await io.readStdin() }));
  io.stderr("talk\n");
  return 3;
};

test("a command line runs inside the test, with its own streams, home and exit code", async () => {
  const result = await runCli(["a", "--b"], { home, env: { MINE: "yes" }, stdin: "typed", run: echo });
  expect({ code: result.code, stderr: result.stderr, json: result.json() }).toEqual({
    code: 3,
    stderr: "talk\n",
    json: { words: ["a", "--b"], cwd: home.path, home: home.path, mine: "yes", stdin: "typed" },
  });
});

test("devflow gives the same result inside a test and as a process", async () => {
  for (const words of [["--version"], ["config", "get", "port", "--json"], ["no-such-command"]]) {
    const env = { DEVFLOW_PORT: "4999" };
    const inside = await runCli(words, { home, env });
    const outside = await runProcess([...devflowCommand(), ...words], { env: home.environment(env), cwd: home.path });
    const { code, stdout, stderr } = outside;
    expect({ code: inside.code, stdout: inside.stdout, stderr: inside.stderr }).toEqual({
      code: code ?? -1,
      stdout,
      stderr,
    });
  }
  expect((await runCli(["--version"], { home })).stdout).toBe(`${version}\n`);
});
