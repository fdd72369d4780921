/**
 * Runs a program to its end and keeps its output; an error contains the end of the output.
 *
 * - `run(program, words, { cwd, env })` resolves to the output, or throws `CommandFailed`.
 */
import { spawn } from "node:child_process";

export class CommandFailed extends Error {
  /**
   * @param {string} command
   * @param {string} output
   */
  constructor(command, output) {
    super(`${command} failed`);
    this.name = "CommandFailed";
    this.output = output;
  }
}

/**
 * @param {string} program
 * @param {readonly string[]} words
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv }} [options]
 * @returns {Promise<string>}
 */
export function run(program, words, { cwd, env } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    const keep = (/** @type {Buffer} */ chunk) => {
      output = (output + chunk).slice(-200_000);
    };
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    const command = [program, ...words].join(" ");
    child.on("error", (error) => reject(Object.assign(new CommandFailed(command, error.message), { cause: error })));
    child.on("close", (code) => (code === 0 ? resolve(output) : reject(new CommandFailed(command, output))));
  });
}
