/**
 * Named places where a crash test may kill the process: `DEVFLOW_FAULT=afterCommitBeforeReply:kill`.
 * Without the variable a fault point costs two comparisons.
 *
 * `name:kill` kills at the first visit, `name:kill:3` at the third. Every visited point appends a line to
 * `DEVFLOW_FAULT_LOG=<file>`, so that a crash test knows where it may kill.
 */
import { appendFileSync } from "node:fs";
import { environmentOf } from "./environment.ts";

const { DEVFLOW_FAULT: fault, DEVFLOW_FAULT_LOG: log } = environmentOf();
const armed = parseFault(fault);
let visits = 0;

export function faultPoint(name: string): void {
  if (log !== undefined) appendFileSync(log, `${name}\n`);
  if (armed?.name !== name) return;
  visits += 1;
  if (visits < armed.visit) return;
  process.kill(process.pid, "SIGKILL");
  // The signal is delivered asynchronously; nothing after the fault point may run.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10_000);
}

function parseFault(text: string | undefined): { name: string; visit: number } | undefined {
  const match = /^(\w+):kill(?::(\d+))?$/.exec(text ?? "");
  return match?.[1] ? { name: match[1], visit: Number(match[2] ?? 1) } : undefined;
}
