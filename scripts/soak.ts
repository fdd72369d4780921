/**
 * `npm run soak [-- --first]`: the long version of what `npm test` checks: the crash matrix with a separate run for every
 * visit of every fault point (`--first`: for the first visit of each), long random histories, every fault of team sync twenty
 * times, fifty clients with 100,000 records, promptfoo itself, whose verdicts are compared with Devflow's, and every scenario with every
 * agent. Writes docs/reliability.md. Takes hours on a small machine. `-- --agents`: only the agents; `-- --team`: only team sync.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { agentTable, type SeenTest, withAgentsPart } from "./soak/agent-table.ts";
import { type CrowdFigures, teamTable, withTeamPart } from "./soak/team-table.ts";
import { parseJunit } from "./test/junit.mjs";

const root = join(import.meta.dir, "..");
const soak = process.argv.includes("--first") ? "first" : "every";
const matrices = ["./tests/chaos/crash-matrix.test.ts", "./packages/runs/src/engine/random-histories.test.ts"];
const teamFaults = ["hostile-server", "full-disk", "drain", "pull"].map(
  (name) => `./packages/team/tests/${name}.test.ts`,
);
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
  const page = join(root, "docs/reliability.md");
  writeFileSync(page, withAgentsPart(readFileSync(page, "utf8"), agentTable(seen, commitHere())));
  return code;
}

/** Kills and the crowd repeat by themselves; the other faults are run twenty times. */
async function runTeam(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "soak-"));
  const figures = join(folder, "crowd.json");
  const reported = async (name: string, ...words: string[]) => {
    const report = join(folder, `${name}.xml`);
    const code = await runTests("--reporter=junit", `--reporter-outfile=${report}`, ...words);
    return { code, tests: parseJunit(readFileSync(report, "utf8")) as SeenTest[] };
  };
  try {
    process.env.DEVFLOW_TEST_FIGURES = figures;
    const kills = await reported("kills", "./packages/team/tests/crash.test.ts");
    const faults = await reported("faults", "--rerun-each=20", ...teamFaults);
    const crowd = await reported("crowd", "./packages/team/tests/crowd.test.ts");
    const seen = {
      kills: { tests: kills.tests, times: 20 },
      faults: faults.tests,
      crowd: existsSync(figures) ? (JSON.parse(readFileSync(figures, "utf8")) as CrowdFigures) : undefined,
    };
    const page = join(root, "docs/reliability.md");
    writeFileSync(page, withTeamPart(readFileSync(page, "utf8"), teamTable(seen, commitHere())));
    return kills.code || faults.code || crowd.code;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const commitHere = (): string =>
  Bun.spawnSync(["git", "rev-parse", "--short", "HEAD"], { cwd: root }).stdout.toString().trim();

const only = ["--agents", "--team"].find((one) => process.argv.includes(one));
const codes = [
  only ? 0 : await runTests(...matrices),
  only === "--agents" ? 0 : await runTeam(),
  only === "--team" ? 0 : await runAgents(),
  only ? 0 : await run("scripts/promptfoo-verdicts.ts"),
];
process.exitCode = codes.find((code) => code !== 0) ?? 0;
