/** Runs `use-postgres.ts` as a separate process and reads its lines. */
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export interface User {
  readonly child: ChildProcess;
  /** The next line; rejects with the process's error output when it exits first. */
  line(): Promise<string>;
  /** Every line, read or still to come, once the process has exited. */
  rest(): Promise<string[]>;
  finish(): Promise<string>;
}

export function usePostgres(folder: string, mode = "", environment: Record<string, string> = {}): User {
  const script = fileURLToPath(new URL("./use-postgres.ts", import.meta.url));
  const child = spawn(process.execPath, [script, folder, mode], {
    stdio: ["pipe", "pipe", "pipe"],
    env: { ...process.env, ...environment },
  });
  let complaints = "";
  child.stderr.on("data", (chunk) => {
    complaints += chunk;
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const line = async (): Promise<string> => {
    const { value, done } = await lines.next();
    if (done) throw new Error(`it exited without a line: ${complaints}`);
    return value;
  };
  return {
    child,
    line,
    async rest() {
      const all: string[] = [];
      for (let next = await lines.next(); !next.done; next = await lines.next()) all.push(next.value);
      return all;
    },
    async finish() {
      child.stdin.end();
      return await line();
    },
  };
}
