/**
 * Prepares a clone on a machine that has only Node and npm. Depends on no package, prints what it does, can be repeated and
 * interrupted at any time; when there is nothing to do it prints nothing.
 *
 * - `setUp({ root, testTools, again })` all steps below, in order; resolves to `{ bun }`, the program that runs us.
 * - `reportProblem(error)` prints a message and the next command; returns the exit code.
 */
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { bunIsLinked, findBun, linkBun } from "./setup/bun-runtime.mjs";
import { withSetupLock } from "./setup/lock.mjs";
import { checkNodeVersion } from "./setup/node-version.mjs";
import { installPackages, packagesAreInstalled } from "./setup/packages.mjs";
import { completePostgres, postgresIsComplete } from "./setup/postgres-binaries.mjs";
import { problemOf } from "./setup/problem.mjs";
import { createProgress } from "./setup/progress.mjs";
import { installTemporal, temporalProgram } from "./setup/temporal-server.mjs";
import { installTestTools, missingTestTools } from "./setup/test-tools.mjs";
import { buildWebApp, webAppIsBuilt } from "./setup/web-app.mjs";

export const projectRoot = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * @typedef {{ label: string, isDone(): boolean, run(): unknown }} Step
 * @param {{ root?: string, testTools?: boolean, again?: string, output?: NodeJS.WriteStream }} [options]
 * @returns {Promise<{ bun: string }>}
 */
export async function setUp({ root = projectRoot, testTools = false, again = "npm start", output } = {}) {
  checkNodeVersion(process.versions.node);
  const steps = stepsOf(root, again, testTools);
  if (steps.some((step) => !step.isDone())) {
    const stream = output ?? process.stderr;
    const progress = createProgress(stream);
    await withSetupLock(
      root,
      () => stream.write("  another setup of this folder is running; waiting for it …\n"),
      async () => {
        for (const { label, isDone, run } of steps) if (!isDone()) await progress.step(label, async () => run());
      },
    );
  }
  return { bun: /** @type {string} */ (findBun(root)) };
}

/** @param {string} root @param {string} again @param {boolean} testTools @returns {Step[]} */
function stepsOf(root, again, testTools) {
  /** @type {Step[]} */
  const steps = [
    {
      label: "packages from npm",
      isDone: () => packagesAreInstalled(root),
      run: () => installPackages(root, again),
    },
    { label: "Bun", isDone: () => bunIsLinked(root), run: () => linkBun(root, again) },
    { label: "Postgres", isDone: () => postgresIsComplete(root), run: () => completePostgres(root) },
    { label: "web app", isDone: () => webAppIsBuilt(root), run: () => buildWebApp(root, again) },
  ];
  if (!testTools) return steps;
  const missing = () => missingTestTools();
  return [
    ...steps,
    {
      label: "Chromium, tmux, git, PgBouncer, bubblewrap and pip for the tests",
      isDone: () => missing().length === 0,
      run: () => installTestTools(missing(), again),
    },
    {
      label: "a Temporal server for the tests",
      isDone: () => temporalProgram(root) !== undefined,
      run: () => installTemporal(root, again),
    },
  ];
}

/** @param {unknown} error @param {string} again */
export function reportProblem(error, again) {
  const problem = problemOf(error, again);
  if (!problem) throw error;
  process.stderr.write(`\nDevflow is not set up. ${problem.message}\n${problem.next}\n`);
  return 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const again = "npm run setup";
  try {
    await setUp({ again, testTools: process.argv.includes("--test-tools") });
    process.stdout.write("Devflow is set up. Start it: npm start\n");
  } catch (error) {
    process.exitCode = reportProblem(error, again);
  }
}
