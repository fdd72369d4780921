/**
 * A child in its own process group, so that it can be ended with everything it started.
 *
 * - `startGroup(program, words, options)` → `{ child, output(), ended, end(signal) }`.
 * - `endAllGroups()` ends every group that is still running: for the watchdog and for Ctrl-C.
 */
import { spawn } from "node:child_process";

/** @type {Set<{ end(signal?: NodeJS.Signals): void }>} */
const running = new Set();

/**
 * @param {string} program
 * @param {readonly string[]} words
 * @param {{ cwd: string, env: NodeJS.ProcessEnv, stdin?: "pipe" | "ignore" }} options
 */
export function startGroup(program, words, { cwd, env, stdin = "ignore" }) {
  const child = spawn(program, words, { cwd, env, detached: true, stdio: [stdin, "pipe", "pipe"] });
  let output = "";
  const keep = (/** @type {Buffer} */ chunk) => {
    output = (output + chunk).slice(-2_000_000);
  };
  child.stdout?.on("data", keep);
  child.stderr?.on("data", keep);
  const end = (/** @type {NodeJS.Signals} */ signal = "SIGKILL") => {
    try {
      if (child.pid) process.kill(-child.pid, signal);
    } catch {
      // It has already ended.
    }
  };
  const group = { child, output: () => output, end, ended: endOf(child) };
  // A process that depends on its standard input stops cleanly when we are gone; killing it would leave its own children.
  if (stdin === "ignore") {
    running.add(group);
    group.ended.then(() => running.delete(group));
  }
  return group;
}

export function endAllGroups() {
  for (const group of running) group.end("SIGKILL");
}

/**
 * `exit`, not `close`: a grandchild that holds the pipe open must not block us; what it prints shortly after is still read.
 *
 * @param {import("node:child_process").ChildProcess} child
 * @returns {Promise<number | undefined>}
 */
function endOf(child) {
  return new Promise((resolve) => {
    child.on("error", () => resolve(undefined));
    child.on("exit", (code) => {
      const settle = () => resolve(code ?? undefined);
      const late = setTimeout(settle, 300);
      child.on("close", () => {
        clearTimeout(late);
        settle();
      });
    });
  });
}
