/**
 * `npm run soak [-- --first] [--path <name>]`: the long version of what `npm test` checks: the crash matrix with a separate run
 * for every visit of every fault point (`--first`: for the first visit of each; `--path`: of one path only, alone), long random
 * histories, the same paths on Temporal, a machine that is cut off for a quarter of an hour, every fault of team sync twenty
 * times, fifty clients with 100,000 records, promptfoo itself, whose verdicts are compared with Devflow's, and every scenario with
 * every agent. Writes docs/reliability.md. Takes hours on a small machine.
 *
 * `-- --agents [<part of a file's path>…]`: only the agents. What was seen at a commit is kept in `.cache/soak`, so an
 * interrupted soak of agents goes on where it stopped, and the table is made of all that was seen at this commit.
 * `-- --team`: only team sync. `-- --fleet`: only runs on Temporal and on several machines.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { agentTable, type SeenTest } from "./soak/agent-table.ts";
import { fleetTable } from "./soak/fleet-table.ts";
import { headings, withPart } from "./soak/page-part.ts";
import { type CrowdFigures, teamTable } from "./soak/team-table.ts";
import { parseJunit } from "./test/junit.mjs";

const root = join(import.meta.dir, "..");
const words = process.argv.slice(2);
const soak = words.includes("--first") ? "first" : "every";
const matrix = "./tests/chaos/crash-matrix.test.ts";
const fleet = [
  "./tests/chaos/temporal.soak.ts",
  "./apps/worker/tests/fleet.test.ts",
  "./apps/worker/tests/lanes-on-machines.test.ts",
  "./apps/worker/tests/cut-off.soak.ts",
];
const histories = "./packages/runs/src/engine/random-histories.test.ts";
const teamFaults = ["hostile-server", "full-disk", "drain", "pull"].map(
  (name) => `./packages/team/tests/${name}.test.ts`,
);
const agents = [
  ...["claude.test.ts", "tmux-claude.test.ts", "codex.test.ts", "codex-faults.test.ts", "codex-limits.test.ts"],
  ...["tmux-codex.test.ts", "acp-copilot.test.ts", "acp-agents.soak.ts"],
]
  .map((name) => `./packages/session/tests/${name}`)
  .concat("./packages/runs/tests/real-agents.soak.ts", "./tests/chaos/real-agents.soak.ts");

/** Hosts of hooks that `npm test` does not install. */
const hosts = ["./tests/hooks/qwen.soak.ts"];

const run = async (...command: string[]): Promise<number> => {
  const paths = words.includes("--path") ? { DEVFLOW_TEST_SOAK_PATHS: words[words.indexOf("--path") + 1] ?? "" } : {};
  const child = Bun.spawn([process.execPath, ...command], {
    cwd: root,
    env: { ...process.env, DEVFLOW_TEST_SOAK: soak, ...paths },
    stdio: ["ignore", "inherit", "inherit"],
  });
  return await child.exited;
};
const runTests = (...files: string[]): Promise<number> =>
  run("test", "--timeout=7200000", "--preload", "./packages/testkit/src/preload.ts", ...files);
const git = (...command: string[]): string =>
  Bun.spawnSync(["git", ...command], { cwd: root })
    .stdout.toString()
    .trim();

async function runAgents(parts: readonly string[]): Promise<number> {
  const commit = git("rev-parse", "--short", "HEAD");
  const page = "docs/reliability.md";
  const isChanged = git("status", "--porcelain", "--untracked-files=no", "--", ".", `:!${page}`) !== "";
  const folder = join(root, ".cache/soak", isChanged ? `${commit}-changed` : commit);
  mkdirSync(folder, { recursive: true });
  const seen: SeenTest[] = [];
  let code = 0;
  for (const file of agents) {
    const report = join(folder, `${file.slice(2).replaceAll("/", "-")}.xml`);
    const isWanted = parts.length === 0 || parts.some((part) => file.includes(part));
    if (isWanted && (isChanged || parts.length > 0 || !existsSync(report))) {
      const unfinished = `${report}.new`;
      code = (await runTests("--reporter=junit", `--reporter-outfile=${unfinished}`, file)) || code;
      if (existsSync(unfinished)) renameSync(unfinished, report);
    }
    if (existsSync(report)) seen.push(...parseJunit(readFileSync(report, "utf8")));
  }
  const table = agentTable(seen, isChanged ? `${commit} with changes` : commit);
  writeFileSync(join(root, page), withPart(readFileSync(join(root, page), "utf8"), headings.agents, table));
  return code;
}

/** Kills and the crowd repeat by themselves; the other faults are run twenty times. */
async function runTeam(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "soak-"));
  const figures = join(folder, "crowd.json");
  const reported = async (name: string, ...files: string[]) => {
    const report = join(folder, `${name}.xml`);
    const code = await runTests("--reporter=junit", `--reporter-outfile=${report}`, ...files);
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
    const table = teamTable(seen, git("rev-parse", "--short", "HEAD"));
    writeFileSync(page, withPart(readFileSync(page, "utf8"), headings.team, table));
    return kills.code || faults.code || crowd.code;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runFleet(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "soak-"));
  try {
    const report = join(folder, "fleet.xml");
    const code = await runTests("--reporter=junit", `--reporter-outfile=${report}`, ...fleet);
    const page = join(root, "docs/reliability.md");
    const table = fleetTable(parseJunit(readFileSync(report, "utf8")), git("rev-parse", "--short", "HEAD"));
    writeFileSync(page, withPart(readFileSync(page, "utf8"), headings.fleet, table));
    return code;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function soakAll(): Promise<number[]> {
  const parts = words.filter((word) => !word.startsWith("--"));
  if (words.includes("--agents")) return [await runAgents(parts), parts.length === 0 ? await runTests(...hosts) : 0];
  if (words.includes("--team")) return [await runTeam()];
  if (words.includes("--fleet")) return [await runFleet()];
  if (words.includes("--path")) return [await runTests(matrix)];
  return [
    await runTests(matrix, histories),
    await runFleet(),
    await runTeam(),
    await runAgents([]),
    await runTests(...hosts),
    await run("scripts/promptfoo-verdicts.ts"),
  ];
}

process.exitCode = (await soakAll()).find((code) => code !== 0) ?? 0;
