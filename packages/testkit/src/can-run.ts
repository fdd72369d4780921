/**
 * Tests that need something this machine may not have. Nothing is skipped silently: the reason is printed, and with
 * `CI=true` it is a failure.
 *
 * - `canRun(what, lack)` false when `lack()` resolves to a reason; for `test.skipIf(!(await canRun(…)))`.
 * - `lackOfProgram(name, howToGet)` the reason why a program cannot be used, or undefined.
 */
import { execFile } from "node:child_process";

export async function canRun(what: string, lack: () => Promise<string | undefined>): Promise<boolean> {
  const reason = await lack();
  if (reason === undefined) return true;
  if (process.env.CI === "true") throw new Error(`${what} must run here (CI=true), but: ${reason}`);
  process.stderr.write(`SKIPPED ${what}: ${reason}\n`);
  return false;
}

export function lackOfProgram(name: string, versionFlag: string, howToGet: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(name, [versionFlag], (error) =>
      resolve(error ? `${name} is not installed. Install it: ${howToGet}` : undefined),
    );
  });
}
