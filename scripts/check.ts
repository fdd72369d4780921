/**
 * `npm run check`: every check of the code that does not run it.
 *
 *     npm run check                      all of it
 *     npm run check -- boundaries docs   some of it
 *     npm run check -- --json            one JSON object per line: {name, ok, detail, ms}
 *
 * - `checks` the list; each returns its errors as text, or nothing.
 */
import { join } from "node:path";
import { allCommands } from "@devflow/cli/commands";
import { checkBoundaries, checkExports } from "./boundaries.ts";
import { docsFaults } from "./check/docs.ts";
import { detailFaults, hintFaults } from "./check/error-registry.ts";
import { runTool } from "./check/run-tool.ts";
import { allSkillFaults } from "./check/skills.ts";
import { versionFaults } from "./check/versions.ts";
import { staleFiles } from "./generate.ts";

export interface Check {
  readonly name: string;
  /** One line: what it guarantees when it passes. */
  readonly promises: string;
  run(root: string): Promise<string> | string;
}

const lines = (faults: readonly string[]): string => faults.join("\n");

export const checks: readonly Check[] = [
  {
    name: "types",
    promises: "the types are correct",
    // TypeScript 7 needs 37 s of processor time where 6 needs 100 s, but has no API yet: scripts that read sources use 6. Its
    // own path, because both bring a `tsc`. Incremental: only what changed is checked again.
    run: (root) =>
      runTool(root, "../typescript-native/bin/tsc", [
        ...["-p", ".", "--pretty", "false"],
        ...["--incremental", "--tsBuildInfoFile", ".cache/types.json"],
      ]),
  },
  {
    name: "biome",
    promises: "no lint errors, and formatted",
    run: (root) => runTool(root, "biome", ["check", "--error-on-warnings", "."]),
  },
  {
    name: "knip",
    promises: "nothing unused, nothing undeclared",
    run: (root) => runTool(root, "knip", ["--no-progress", "--no-config-hints"]),
  },
  { name: "boundaries", promises: "packages import in one direction", run: (root) => lines(checkBoundaries(root)) },
  { name: "exports", promises: "the exports of entry points are used", run: (root) => lines(checkExports(root)) },
  {
    name: "generated",
    promises: "generated files are up to date",
    run: async (root) => lines((await staleFiles(root)).map((path) => `${path} is out of date; run: npm run generate`)),
  },
  {
    name: "docs",
    promises: "commands, links and paths in the docs exist",
    run: async (root) => lines(await docsFaults(root)),
  },
  {
    name: "errors",
    promises: "errors have their details, and hints name existing commands",
    run: async (root) => lines([...hintFaults(await allCommands()), ...detailFaults(root)]),
  },
  {
    name: "skills",
    promises: "skills are small, well-formed, generated from a template, and name existing commands",
    run: async (root) => lines(await allSkillFaults(root)),
  },
  { name: "versions", promises: "one version everywhere", run: (root) => lines(versionFaults(root)) },
];

async function runChecks(root: string, chosen: readonly Check[], json: boolean): Promise<boolean> {
  let allPassed = true;
  const runOne = async (check: Check) => {
    const started = performance.now();
    const detail = await Promise.try(() => check.run(root)).catch((error: unknown) =>
      String((error as Error)?.stack ?? error),
    );
    const ms = Math.round(performance.now() - started);
    const ok = detail === "";
    allPassed &&= ok;
    if (json) console.log(JSON.stringify({ name: check.name, ok, detail, ms }));
    else
      console.log(
        `${ok ? "ok  " : "FAIL"} ${check.name.padEnd(10)} ${(ms / 1000).toFixed(1)} s${ok ? "" : `\n${detail}\n`}`,
      );
  };
  // The tools are separate processes and run in parallel; our own checks share this one and run after them.
  const isTool = ({ name }: Check) => ["types", "biome", "knip"].includes(name);
  const tools = chosen.filter(isTool).map(runOne);
  for (const check of chosen) if (!isTool(check)) await runOne(check);
  await Promise.all(tools);
  return allPassed;
}

if (import.meta.main) {
  const words = process.argv.slice(2);
  const names = words.filter((word) => !word.startsWith("-"));
  const unknown = names.filter((name) => !checks.some((check) => check.name === name));
  if (unknown.length > 0) {
    const known = checks.map(({ name, promises }) => `  ${name.padEnd(10)} ${promises}`).join("\n");
    console.error(`There is no check called ${unknown.join(", ")}. Known checks:\n${known}`);
    process.exitCode = 64;
  } else {
    const chosen = names.length > 0 ? checks.filter(({ name }) => names.includes(name)) : checks;
    const passed = await runChecks(join(import.meta.dir, ".."), chosen, words.includes("--json"));
    process.exitCode = passed ? 0 : 1;
  }
}
