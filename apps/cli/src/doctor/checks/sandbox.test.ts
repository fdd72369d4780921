/** What doctor says about the sandbox. */
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { inspectConfig } from "@devflow/core/config";
import { temporaryFolder, temporaryHome } from "@devflow/testkit";
import { checkSandbox } from "./sandbox.ts";

const home = temporaryHome();
const check = (sandbox: boolean, path: string) => {
  const env = home.environment({ DEVFLOW_SANDBOX: String(sandbox), PATH: path });
  return checkSandbox.run({ inspection: inspectConfig({ env }), env, cwd: home.path });
};
const empty = temporaryFolder("path");
const working = temporaryFolder("path");
writeFileSync(join(working, "bwrap"), "#!/bin/sh\nexit 0\n", { mode: 0o755 });

test.skipIf(process.platform !== "linux")("it fails only where it is switched on and cannot be had", async () => {
  expect(await check(true, empty)).toEqual({
    status: "fail",
    detail: "on, but impossible: bubblewrap (bwrap) is not installed",
    remediation: expect.stringMatching(
      /^Install bubblewrap: apt-get install .*; or work without it: devflow config set sandbox false$/,
    ),
  });
  expect(await check(false, empty)).toEqual({
    status: "pass",
    detail: "off, and impossible here: bubblewrap (bwrap) is not installed",
    remediation: "",
  });
});

test("where it works, it says how it is switched on", async () => {
  expect([(await check(true, working)).detail, (await check(false, working)).detail]).toEqual([
    "on; agents are confined",
    "off; confine agents with: devflow config set sandbox true",
  ]);
});
