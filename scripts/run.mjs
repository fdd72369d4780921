/** `node scripts/run.mjs <script.ts> …`: installs what is missing, then runs a script of the project with Bun. */
import { runInForeground } from "./setup/foreground.mjs";
import { reportProblem, setUp } from "./setup.mjs";

const again = `node scripts/run.mjs ${process.argv.slice(2).join(" ")}`;
try {
  const { bun } = await setUp({ again });
  process.exitCode = await runInForeground(bun, process.argv.slice(2));
} catch (error) {
  process.exitCode = reportProblem(error, again);
}
