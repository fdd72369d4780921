/**
 * A sign of life of the worker that owns this machine's sessions, for the processes that hold their agents: when the worker is
 * frozen or cut off, its runs may continue on another machine, and its agents must not work on.
 *
 * - `writeWorkerBeat(workspaceRoot, beat)` by the worker, each time it was heard.
 * - `watchWorkerBeat(root, onSilent)` by the holder of the session in `root`; called once for each silence. Without a worker
 *   there is no file, and nothing happens.
 *
 * The file's time does not count, only that its content changes: a clock may be set.
 */
import { readFileSync } from "node:fs";
import { rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

interface WorkerBeat {
  readonly count: number;
  /** After so much silence agents are interrupted. */
  readonly limitMs: number;
}

const name = "worker-beat.json";

/** Read whole or not at all. */
export async function writeWorkerBeat(workspaceRoot: string, beat: WorkerBeat): Promise<void> {
  const path = join(workspaceRoot, name);
  await writeFile(`${path}.part`, JSON.stringify(beat), { mode: 0o600 });
  await rename(`${path}.part`, path);
}

export function watchWorkerBeat(root: string, onSilent: () => void, everyMs = 1_000): () => void {
  // `<workspace>/<run>/sessions/<session>`.
  const path = join(dirname(dirname(dirname(root))), name);
  let last: string | undefined;
  let since = performance.now();
  let isSilent = false;
  const timer = setInterval(() => {
    const text = read(path);
    if (text === undefined) return;
    if (text !== last) {
      last = text;
      since = performance.now();
      isSilent = false;
      return;
    }
    const { limitMs } = JSON.parse(text) as WorkerBeat;
    if (isSilent || performance.now() - since < limitMs) return;
    isSilent = true;
    onSilent();
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
