/**
 * Runs one test file in a separate Bun: files cannot see each other's globals, environment or ports, an exit inside a test
 * ends only its own file, and a file that hangs is known by name.
 *
 * - `runTestFile(file, options)` → its verdict, its output and its duration.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startGroup } from "./process-group.mjs";
import { judgeFile } from "./verdict.mjs";

/** Time limit of one test; most take milliseconds, and a machine may be twenty times slower than ours. */
const testTimeoutMs = 120_000;

/**
 * @param {string} file relative to the root
 * @param {{ root: string, bun: string, env: NodeJS.ProcessEnv, namePattern: string | undefined, updates?: boolean, limitMs: number, strict: boolean, coverage?: boolean }} options
 */
export async function runTestFile(file, options) {
  const { root, bun, env, namePattern, updates = false, limitMs, strict, coverage = false } = options;
  const scratch = mkdtempSync(join(tmpdir(), "devflow-test-"));
  const reportFile = join(scratch, "report.xml");
  const preload = "packages/testkit/src/preload.ts";
  const words = [
    "test",
    "--no-orphans",
    `--timeout=${testTimeoutMs}`,
    "--reporter=junit",
    `--reporter-outfile=${reportFile}`,
    ...(existsSync(join(root, preload)) ? ["--preload", `./${preload}`] : []),
    ...(namePattern === undefined ? [] : ["-t", namePattern]),
    ...(updates ? ["--update-snapshots"] : []),
    ...(coverage ? ["--coverage", "--coverage-reporter=lcov", `--coverage-dir=${scratch}`] : []),
    `./${file}`,
  ];
  const started = Date.now();
  const group = startGroup(bun, words, { cwd: root, env });
  let hung = "";
  const watchdog = setTimeout(() => {
    hung = `${Math.round(limitMs / 1000)} s`;
    group.end("SIGKILL");
  }, limitMs);
  const exitCode = await group.ended;
  clearTimeout(watchdog);
  // Whatever of its group outlived it is not ours to keep.
  group.end("SIGKILL");
  const report = existsSync(reportFile) ? readFileSync(reportFile, "utf8") : undefined;
  const lcovFile = join(scratch, "lcov.info");
  const lcov = existsSync(lcovFile) ? readFileSync(lcovFile, "utf8") : "";
  rmSync(scratch, { recursive: true, force: true });
  const verdict = judgeFile({
    file,
    exitCode: hung ? undefined : exitCode,
    report,
    output: group.output(),
    hung: hung || undefined,
    filtered: namePattern !== undefined,
    strict,
    hasOnly: /^\s*(test|it|describe)\.only\(/m.test(readFileSync(join(root, file), "utf8")),
  });
  return { ...verdict, output: group.output(), lcov, ms: Date.now() - started };
}
