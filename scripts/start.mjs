/**
 * `npm start`: installs what is missing, then runs `devflow up --demo` from source in the foreground. Other arguments are
 * passed on (`npm start -- --once`).
 */
import { join } from "node:path";
import { runInForeground } from "./setup/foreground.mjs";
import { projectRoot, reportProblem, setUp } from "./setup.mjs";

const words = process.argv.slice(2);
const again = ["npm start", ...(words.length > 0 ? ["--", ...words] : [])].join(" ");

try {
  const { bun } = await setUp({ again });
  process.exitCode = await runInForeground(bun, [join(projectRoot, "apps/cli/src/main.ts"), "up", "--demo", ...words]);
} catch (error) {
  process.exitCode = reportProblem(error, again);
}
