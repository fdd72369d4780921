/**
 * `npm start`: sets up what is missing, then runs `devflow up --demo` from source in the foreground. Other words go on
 * to it (`npm start -- --once`). Signals reach the server once, its exit code is ours, and nothing is left behind.
 */
import { spawn } from "node:child_process";
import { constants } from "node:os";
import { join } from "node:path";
import { projectRoot, reportProblem, setUp } from "./setup.mjs";

const words = process.argv.slice(2);
const again = ["npm start", ...(words.length > 0 ? ["--", ...words] : [])].join(" ");

try {
  const { bun } = await setUp({ again });
  process.exitCode = await runInForeground(bun, ["apps/cli/src/main.ts", "up", "--demo", ...words]);
} catch (error) {
  process.exitCode = reportProblem(error, again);
}

/** @param {string} program @param {string[]} args @returns {Promise<number>} */
function runInForeground(program, args) {
  // The paths are absolute and the folder stays the caller's: `up` is about the home, not about where it is typed.
  const child = spawn(program, [join(projectRoot, args[0] ?? ""), ...args.slice(1)], { stdio: "inherit" });
  const passOn = signalPasser((signal) => child.kill(signal));
  for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) process.on(signal, passOn);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code, signal) => resolve(code ?? 128 + constants.signals[signal ?? "SIGKILL"]));
  });
}

/**
 * Ctrl-C reaches every process of the terminal's group, and npm sends it to us a second time: the server has it
 * already, and a second one would mean "at once". So an interrupt goes on as SIGTERM, which asks for the same orderly
 * stop and changes nothing when that is under way.
 * @param {(signal: NodeJS.Signals) => void} send
 */
function signalPasser(send) {
  return (/** @type {NodeJS.Signals} */ signal) => {
    if (signal === "SIGINT") setTimeout(() => send("SIGTERM"), 100);
    else send(signal);
  };
}
