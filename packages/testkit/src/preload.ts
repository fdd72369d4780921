/**
 * Preloaded into every test file (`bun test --preload ./packages/testkit/src/preload.ts`): gives the file its own home and
 * an environment without anything of the user who runs it, and fails the file when it leaves a process, a timer or a
 * listening socket behind.
 *
 * With `--parallel` (or `--isolate`) this runs once per file; without, once for all files together.
 */
import { afterAll } from "bun:test";
import { join } from "node:path";
import { scrubEnvironment } from "./clean-environment.ts";
import { watchLeaks } from "./leaks/check.ts";
import { makeTemporaryFolder, removeFolder } from "./temporary-home.ts";
import { testTag } from "./test-tag.ts";

testTag();
for (const name of scrubEnvironment(process.env)) delete process.env[name];
const home = makeTemporaryFolder("dft");
// npm finds its settings (a registry, a proxy) in the user's home; only installAgents reads them.
process.env.DEVFLOW_TEST_USER_HOME ??= process.env.HOME ?? "";
process.env.HOME = home;
process.env.DEVFLOW_HOME = join(home, ".devflow");
const leaks = watchLeaks();

afterAll(async () => {
  try {
    await leaks.check();
  } finally {
    removeFolder(home);
  }
});
