import { expect, test } from "bun:test";
import { type RunCommandLine, runCli, temporaryHome } from "./index.ts";

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
