/** Runs a program to its end, outside the user's folders, and returns its output. */
import { execFile } from "node:child_process";

export interface QuietRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export function runQuietly([program = "", ...words]: readonly string[]): Promise<QuietRun> {
  return new Promise((resolve) => {
    execFile(program, words, { cwd: "/", timeout: 30_000, encoding: "utf8" }, (error, stdout, stderr) => {
      const code = error ? (typeof error.code === "number" ? error.code : 1) : 0;
      resolve({ code, stdout, stderr: stderr || (error?.message ?? "") });
    });
  });
}
