/** Agents outlive the engine by design; this ends those that a test left. */
import type { SessionHandle } from "@devflow/session";
import type { EngineContext } from "../src/engine/context.ts";

export async function endSessions({ database, adapters }: EngineContext): Promise<void> {
  const rows = await database.asEngine(
    (tx) => tx<{ adapter: string; handle: SessionHandle }[]>`select adapter, handle from app.sessions`,
  );
  // Newer than any driver.
  const call = { epoch: Number.MAX_SAFE_INTEGER, signal: new AbortController().signal };
  for (const { adapter, handle } of rows) await adapters[adapter]?.dispose(handle, call);
}
