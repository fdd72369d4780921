/**
 * `node scripts/run.mjs <script.ts> …`: installs what is missing, then runs a script of the project with Bun. The soak and benchmarks need
 * what the tests need.
 */
import { runInForeground } from "./setup/foreground.mjs";
import { reportProblem, setUp } from "./setup.mjs";

const again = `node scripts/run.mjs ${process.argv.slice(2).join(" ")}`;
try {
  const testTools = /^(scripts\/soak|bench\/main)\.ts$/.test(process.argv[2] ?? "");
  const { bun } = await setUp({ again, testTools });
  process.exitCode = await runInForeground(bun, process.argv.slice(2));
} catch (error) {
  process.exitCode = reportProblem(error, again);
}
