/**
 * `npm run soak [-- --first]`: the long version of what `npm test` checks: the crash matrix with a separate run for every
 * visit of every fault point (`--first`: for the first visit of each), long random histories, every kill of spool, drain, push
 * and pull twenty times, promptfoo itself, whose verdicts are compared with Devflow's, and every scenario with every agent.
 * Writes docs/reliability.md. Takes hours on a small machine. `-- --agents`: only the agents.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { agentTable, type SeenTest, withAgentsPart } from "./soak/agent-table.ts";
import { parseJunit } from "./test/junit.mjs";

const root = join(import.meta.dir, "..");
const soak = process.argv.includes("--first") ? "first" : "every";
const matrices = [
  "./tests/chaos/crash-matrix.test.ts",
  "./tests/chaos/temporal-matrix.test.ts",
  "./packages/runs/src/engine/random-histories.test.ts",
  "./packages/team/tests/crash.test.ts",
];
const agents = [
  ...["claude.test.ts", "tmux-claude.test.ts", "codex.test.ts", "codex-faults.test.ts", "codex-limits.test.ts"],
  ...["tmux-codex.test.ts", "acp-copilot.test.ts", "acp-agents.soak.ts"],
].map((name) => `./packages/session/tests/${name}`);

const run = async (...words: string[]): Promise<number> =>
  await Bun.spawn([process.execPath, ...words], {
    cwd: root,
    env: { ...process.env, DEVFLOW_TEST_SOAK: soak },
    stdio: ["ignore", "inherit", "inherit"],
  }).exited;
const runTests = (...words: string[]): Promise<number> =>
  run("test", "--timeout=7200000", "--preload", "./packages/testkit/src/preload.ts", ...words);

async function runAgents(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "soak-"));
  const seen: SeenTest[] = [];
  let code = 0;
  try {
    for (const file of agents) {
      const report = join(folder, "report.xml");
      code = (await runTests("--reporter=junit", `--reporter-outfile=${report}`, file)) || code;
      seen.push(...parseJunit(readFileSync(report, "utf8")));
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const commit = Bun.spawnSync(["git", "rev-parse", "--short", "HEAD"], { cwd: root }).stdout.toString().trim();
  const page = join(root, "docs/reliability.md");
  writeFileSync(page, withAgentsPart(readFileSync(page, "utf8"), agentTable(seen, commit)));
  return code;
}

const onlyAgents = process.argv.includes("--agents");
const codes = [
  onlyAgents ? 0 : await runTests(...matrices),
  await runAgents(),
  onlyAgents ? 0 : await run("scripts/promptfoo-verdicts.ts"),
];
process.exitCode = codes.find((code) => code !== 0) ?? 0;
