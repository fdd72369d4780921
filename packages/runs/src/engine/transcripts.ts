/** What the agents' screens say, kept as it comes: sanitised, redacted, in order, never twice. */
import { redactSecrets, safeText } from "@devflow/redact";
import { z } from "zod";
import type { EngineContext } from "./context.ts";
import { lentFiles, lentSecrets } from "./lent-files.ts";
import { SessionRow } from "./rows.ts";
import { adapterFor, handleOf } from "./steps/session-steps.ts";

const lookEveryMs = 250;

/** Follows every session of a run; the result ends it. */
export function startTranscripts(context: EngineContext, runId: string): () => Promise<void> {
  const end = new AbortController();
  const followed = new Map<string, Promise<void>>();
  const followNew = async () => {
    for (const session of await sessionsOf(context, runId)) {
      if (!followed.has(session.id)) followed.set(session.id, follow(context, runId, session, end.signal));
    }
  };
  const watch = async () => {
    while (!end.signal.aborted) {
      await followNew();
      await context.clock.sleep(lookEveryMs, end.signal).catch(() => undefined);
    }
  };
  const watching = watch().catch((error: unknown) => context.log.warn({ runId, err: error }, "transcripts stopped"));
  return async () => {
    end.abort();
    await watching;
    // A session that lived between two looks has its words kept all the same.
    await followNew().catch((error: unknown) => context.log.warn({ runId, err: error }, "transcripts stopped"));
    await Promise.all(followed.values());
  };
}

async function sessionsOf(context: EngineContext, runId: string): Promise<(SessionRow & { team_id: string })[]> {
  const rows = await context.database.asEngine(
    (tx) => tx`select to_jsonb(s) as session from app.sessions s where s.run_id = ${runId}`,
  );
  return rows.map((row) => SessionRow.extend({ team_id: z.string() }).parse(row.session));
}

async function follow(
  context: EngineContext,
  runId: string,
  session: SessionRow & { team_id: string },
  signal: AbortSignal,
): Promise<void> {
  const handle = handleOf(context, runId, session);
  try {
    const known = await secretsOf(context, runId);
    for await (const chunk of adapterFor(context, session.backend).capture(handle, session.last_capture_seq, signal)) {
      const redacted = redactSecrets(chunk.content, { known });
      const { value, changed } = safeText(redacted.text);
      await context.database.asEngine(async (tx) => {
        await tx`
          insert into app.transcript_chunks (session_id, seq, team_id, content, sanitised, captured_at)
          values (${session.id}, ${chunk.seq}, ${session.team_id}, ${value}, ${changed || redacted.found.length > 0}, ${chunk.capturedAt})
          on conflict do nothing`;
        await tx`update app.sessions set last_capture_seq = greatest(last_capture_seq, ${chunk.seq}) where id = ${session.id}`;
      });
      context.onTranscript(runId, session.id, chunk.seq);
    }
  } catch (error) {
    if (!signal.aborted) context.log.warn({ runId, session: session.id, err: error }, "transcript stopped");
  }
}

/** As they were when the session was first looked at; what an agent writes into them later is no secret of anybody's. */
async function secretsOf({ database, env }: EngineContext, runId: string): Promise<string[]> {
  const [run] = await database.asEngine(
    (tx) => tx<{ repository: string; worktree: string; baseCommit: string }[]>`
      select repo_path as repository, worktree_root as worktree, base_commit as "baseCommit" from app.runs where id = ${runId}`,
  );
  return run ? await lentSecrets(run, await lentFiles(run, { env })) : [];
}
