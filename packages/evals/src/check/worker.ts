/**
 * A worker process: checks the cases it is sent, one at a time.
 *
 * - `runCheckWorker(input, output)` called by the hidden command `eval check-worker`; it ends with its input, so that no worker
 *   outlives its parent.
 *
 * The protocol is JSON lines. In: the settings, then jobs, then `{ end }`; input that ends without it means that the parent
 * died. Out: `{ ready }`, `{ process }` (the pid of the running command, so that the parent can end it if this process is
 * killed), `{ done, result }`.
 */

import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { type CaseRunner, type CheckJob, caseRunner, fromWire } from "./case-runner.ts";
import type { ResultRecord } from "./result-record.ts";

export type WorkerMessage =
  | { readonly ready: number }
  | { readonly process: number | null }
  | { readonly done: number; readonly result: ResultRecord };

export async function runCheckWorker(input: Readable, output: Writable): Promise<void> {
  const say = (message: WorkerMessage) =>
    new Promise<void>((resolve) => output.write(`${JSON.stringify(message)}\n`, () => resolve()));
  const parentGone = new AbortController();
  input.once("end", () => parentGone.abort(new Error("the parent is gone")));
  output.once("error", () => parentGone.abort(new Error("the parent is gone")));
  let runner: CaseRunner | undefined;
  let isDone = false;
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line === "") continue;
    const message = JSON.parse(line) as { settings?: unknown; job?: CheckJob; end?: true };
    if (message.settings !== undefined) {
      const onProcess = (pid: number | undefined) => void say({ process: pid ?? null });
      runner = caseRunner(fromWire(message.settings), { signal: parentGone.signal, onProcess });
      await say({ ready: process.pid });
    } else if (message.end) isDone = true;
    else if (message.job && runner) {
      try {
        const result = await runner.run(message.job);
        await say({ done: message.job.index, result });
      } catch (error) {
        if (parentGone.signal.aborted) break;
        throw error;
      }
    }
  }
  await (isDone ? runner?.finish() : runner?.flush());
}
