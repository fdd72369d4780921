/** Stops a server that was verified to be ours: asks first, kills only with `force`. */
import { systemClock } from "@devflow/core/clock";
import { DevflowError } from "@devflow/core/errors";
import type { Home } from "@devflow/core/home";
import { isSameProcess, type ProcessProof } from "@devflow/core/process-proof";
import { removeState } from "./state.ts";

const patienceMs = 20_000;

export async function stopServer(home: Home, state: ProcessProof, { force }: { force: boolean }): Promise<void> {
  if (!isSameProcess(state)) return;
  process.kill(state.pid, "SIGTERM");
  if (await endsWithin(state, patienceMs)) return;
  if (!force) {
    throw new DevflowError("conflict", {
      details: {
        problem: `The server (pid ${state.pid}) did not stop within ${patienceMs / 1000} s.`,
        next: "Kill it: devflow down --force",
      },
    });
  }
  if (isSameProcess(state)) process.kill(state.pid, "SIGKILL");
  await endsWithin(state, patienceMs);
  await removeState(home);
}

async function endsWithin(state: ProcessProof, limitMs: number): Promise<boolean> {
  const deadline = Date.now() + limitMs;
  while (isSameProcess(state)) {
    if (Date.now() > deadline) return false;
    await systemClock.sleep(20);
  }
  return true;
}
