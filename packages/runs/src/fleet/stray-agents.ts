/**
 * Agents of this machine whose runs went on elsewhere while it was cut off.
 *
 * - `endStrayAgents(context)` ends them. Their worktrees stay.
 */
import { bestEffort } from "@devflow/core/best-effort";
import type { SessionHandle } from "@devflow/session";
import type { EngineContext } from "../engine/context.ts";

/** Nobody drives them any more, so no epoch can be newer. */
const call = { epoch: Number.MAX_SAFE_INTEGER, signal: new AbortController().signal };

export async function endStrayAgents({ database, adapters, workspaceRoot, log }: EngineContext): Promise<void> {
  const strays = await database.asEngine(
    (tx) => tx<{ adapter: string; handle: SessionHandle }[]>`
      select s.adapter, s.handle from app.sessions s join app.runs r on r.id = s.run_id and r.incarnation > s.incarnation
      where starts_with(s.handle ->> 'folder', ${`${workspaceRoot}/`})
        and (r.ended_at is null or r.ended_at > now() - interval '7 days')`,
  );
  for (const { adapter, handle } of strays)
    await bestEffort(
      "end an agent whose run has moved",
      log,
      async () => await adapters[adapter]?.dispose(handle, call),
    );
}
