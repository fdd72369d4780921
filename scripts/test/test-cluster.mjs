/**
 * The Postgres of a test run: started before the first file, stopped after the last, even when we die (it runs only as long
 * as its standard input is open).
 *
 * - `startTestCluster({ root, bun })` → `{ description, stop() }`; undefined when the project has none.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { startGroup } from "./process-group.mjs";

const script = "packages/testkit/src/test-cluster.ts";
const startLimitMs = 60_000;
const stopLimitMs = 20_000;

/** @param {{ root: string, bun: string }} options */
export async function startTestCluster({ root, bun }) {
  if (!existsSync(join(root, script))) return undefined;
  const group = startGroup(bun, [script], { cwd: root, env: process.env, stdin: "pipe" });
  const description = await firstJsonLine(group);
  return {
    description,
    async stop() {
      group.child.stdin?.end();
      const late = setTimeout(() => group.end("SIGKILL"), stopLimitMs);
      await group.ended;
      clearTimeout(late);
    },
  };
}

/** @param {ReturnType<typeof startGroup>} group @returns {Promise<string>} */
function firstJsonLine(group) {
  return new Promise((resolve, reject) => {
    const fail = (/** @type {string} */ why) => {
      group.end("SIGKILL");
      reject(new Error(`the test cluster did not start (${why}):\n${group.output()}`));
    };
    const late = setTimeout(() => fail(`nothing after ${startLimitMs / 1000} s`), startLimitMs);
    group.ended.then((code) => {
      clearTimeout(late);
      fail(`exit code ${code ?? "none"}`);
    });
    let printed = "";
    // Only standard output: the log lines on standard error are JSON too.
    group.child.stdout?.on("data", (/** @type {Buffer} */ chunk) => {
      printed += chunk;
      const line = printed
        .split("\n")
        .slice(0, -1)
        .find((one) => one.startsWith("{"));
      if (!line) return;
      clearTimeout(late);
      resolve(line);
    });
  });
}
