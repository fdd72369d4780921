#!/usr/bin/env node
/* Starts the Devflow executable of this platform, which is in a separate package. */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";

const target = `${process.platform}-${process.arch}`;
const words = process.argv.slice(2);
const executable = find();
if (!executable) {
  console.error(`devflow: there is no executable for ${target}. Install it: npm install -g @devflow/${target}`);
  process.exit(1);
}
// Newer Node versions can be replaced by the executable; older ones stay and forward signals.
if (process.execve) process.execve(executable, [executable, ...words], process.env);
const child = spawn(executable, words, { stdio: "inherit" });
for (const signal of /** @type {const} */ (["SIGTERM", "SIGHUP"])) process.on(signal, () => child.kill(signal));
process.on("SIGINT", () => setTimeout(() => child.kill("SIGTERM"), 100));
child.on("error", (error) => {
  console.error(`devflow: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal ?? "SIGKILL"]));

/* As a dependency it lies in node_modules; installed from a release folder, it lies beside this package. */
function find() {
  try {
    return createRequire(import.meta.url).resolve(`@devflow/${target}/bin/devflow`);
  } catch {
    const beside = fileURLToPath(new URL(`../../${target}/bin/devflow`, import.meta.url));
    return existsSync(beside) ? beside : undefined;
  }
}
