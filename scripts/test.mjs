/**
 * `npm test`: installs what is missing, including test tools, then runs every check and every test.
 * `npm test -- <files or folders> -t <name>` runs only those tests.
 */
import { projectRoot, reportProblem, setUp } from "./setup.mjs";
import { UsageProblem } from "./test/arguments.mjs";
import { endAllGroups } from "./test/process-group.mjs";
import { runTests } from "./test/run-tests.mjs";

const words = process.argv.slice(2);
const again = ["npm test", ...(words.length > 0 ? ["--", ...words] : [])].join(" ");

for (const [signal, code] of /** @type {const} */ ([
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
])) {
  process.on(signal, () => {
    endAllGroups();
    process.exit(code);
  });
}

try {
  const { bun } = await setUp({ again, testTools: true });
  const print = (/** @type {string} */ text) => void process.stdout.write(text);
  process.exitCode = await runTests({ root: projectRoot, bun, words, env: process.env, print });
} catch (error) {
  endAllGroups();
  if (error instanceof UsageProblem) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 64;
  } else process.exitCode = reportProblem(error, again);
}
