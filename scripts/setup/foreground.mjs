/**
 * Runs a program in the foreground: it gets the terminal and our signals, and we return its exit code.
 *
 * - `runInForeground(program, words)` resolves to the exit code.
 */
import { spawn } from "node:child_process";
import { constants } from "node:os";

/** @param {string} program @param {readonly string[]} words @returns {Promise<number>} */
export function runInForeground(program, words) {
  // Before the child starts: on a busy machine it can be ready, and Ctrl-C pressed, before we run again.
  /** @type {import("node:child_process").ChildProcess | undefined} */
  let child;
  for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) {
    process.on(signal, () => child && passOn(child, signal));
  }
  child = spawn(program, words, { stdio: "inherit" });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code, signal) => resolve(code ?? 128 + constants.signals[signal ?? "SIGKILL"]));
  });
}

/**
 * Ctrl-C reaches every process of the terminal's group, and npm sends it to us a second time: the child already has it, and
 * a second one would mean "at once". So an interrupt is forwarded as SIGTERM, which asks for the same clean stop and changes
 * nothing if that has begun.
 * @param {import("node:child_process").ChildProcess} child
 * @param {NodeJS.Signals} signal
 */
function passOn(child, signal) {
  if (signal === "SIGINT") setTimeout(() => child.kill("SIGTERM"), 100);
  else child.kill(signal);
}
