/**
 * `npm run soak [-- --first]`: the long version of what `npm test` checks: the crash matrix with a separate run for every
 * visit of every fault point (`--first`: for the first visit of each), long random histories, every kill of spool, drain, push
 * and pull twenty times, promptfoo itself, whose verdicts are compared with Devflow's, and the scenarios of agents that are
 * too big for every run. Writes docs/reliability.md. Takes hours on a small machine.
 */
import { join } from "node:path";

const root = join(import.meta.dir, "..");
const soak = process.argv.includes("--first") ? "first" : "every";
const files = [
  "./tests/chaos/crash-matrix.test.ts",
  "./packages/runs/src/engine/random-histories.test.ts",
  "./packages/team/tests/crash.test.ts",
  "./packages/session/tests/acp-agents.soak.ts",
];
const words = ["test", "--timeout=7200000", "--preload", "./packages/testkit/src/preload.ts", ...files];
const child = Bun.spawn([process.execPath, ...words], {
  cwd: root,
  env: { ...process.env, DEVFLOW_TEST_SOAK: soak },
  stdio: ["ignore", "inherit", "inherit"],
});
const code = await child.exited;
const verdicts = Bun.spawn([process.execPath, "scripts/promptfoo-verdicts.ts"], {
  cwd: root,
  stdio: ["ignore", "inherit", "inherit"],
});
process.exitCode = (await verdicts.exited) || code;
