/**
 * The output of the agents' screens, stored as it comes: sanitized, redacted, in order, without duplicates.
 *
 * - `startTranscripts(context, runId)` follows every session of a run; the result ends it. A failure, such as an
 *   unavailable Postgres, delays a transcript but loses nothing: capture continues after the last stored chunk.
 */
import { redactSecrets, safeText } from "@devflow/redact";
import type { TranscriptChunk } from "@devflow/session";
import { joinCutChunks } from "../sessions/join-cut-chunks.ts";
import { adapterFor } from "../sessions/session-adapters.ts";
import { keepTranscript, sessionsOf } from "../sessions/session-repository.ts";
import type { DriverContext } from "./context.ts";
import type { SessionRow } from "./rows.ts";
import { knownSecrets } from "./run-secrets.ts";

const lookEveryMs = 250;
/** After the end of a run nobody comes back for its last lines, so they wait this long for a Postgres that restarts. */
const lastTries = 40;

export function startTranscripts(context: DriverContext, runId: string): () => Promise<void> {
  const end = new AbortController();
  const followed = new Map<string, Promise<void>>();
  const followNew = async () => {
    for (const session of await context.database.asEngine((tx) => sessionsOf(tx, runId))) {
      // A session that is being started has no screen yet.
      if (session.state === "BOOTSTRAPPING" || followed.has(session.id)) continue;
      followed.set(session.id, follow(context, runId, session, end.signal));
    }
  };
  const look = () =>
    followNew().then(
      () => true,
      (error: unknown) => {
        context.log.warn({ runId, err: error }, "transcripts are behind");
        return false;
      },
    );
  const watch = async () => {
    while (!end.signal.aborted) {
      await look();
      await context.clock.sleep(lookEveryMs, end.signal).catch(() => undefined);
    }
  };
  const watching = watch();
  return async () => {
    end.abort();
    await watching;
    // Also for a session that started and ended between two checks.
    for (let tries = 1; !(await look()) && tries < lastTries; tries++) await context.clock.sleep(lookEveryMs);
    await Promise.all(followed.values());
  };
}

/** Until the signal aborts or another driver has the run; once more after the signal, for the last lines. */
async function follow(context: DriverContext, runId: string, session: SessionRow, signal: AbortSignal): Promise<void> {
  for (let lastTry = 0; lastTry < lastTries; ) {
    if (signal.aborted) lastTry += 1;
    try {
      // Read each time: a chunk may have been stored although its acknowledgement was lost with the connection.
      let after = await positionOf(context, session.id);
      if (after === undefined) return;
      const known = await secretsOf(context, runId);
      const captured = adapterFor(context, session).capture(session.handle, after, signal);
      for await (const chunk of joinCutChunks(captured, context.clock)) {
        if (!(await keep(context, session.id, after, chunk, known))) return;
        after = chunk.seq;
        context.onTranscript(runId, session.id, chunk.seq);
      }
      return;
    } catch (error) {
      context.log.warn({ runId, session: session.id, err: error }, "a transcript is behind");
      await (signal.aborted
        ? context.clock.sleep(lookEveryMs)
        : context.clock.sleep(lookEveryMs, signal).catch(() => undefined));
    }
  }
}

/** Undefined when another driver has the run. */
async function positionOf({ database, epoch }: DriverContext, sessionId: string): Promise<number | undefined> {
  const [row] = await database.asEngine(
    (tx) => tx<{ seq: number }[]>`
      select s.last_capture_seq::float8 as seq from app.sessions s join app.runs r on r.id = s.run_id
      where s.id = ${sessionId} and r.driver_epoch = ${epoch}`,
  );
  return row?.seq;
}

function keep(
  context: DriverContext,
  sessionId: string,
  after: number,
  { seq, content, capturedAt }: TranscriptChunk,
  known: readonly string[],
): Promise<boolean> {
  const redacted = redactSecrets(content, { known });
  const { value, changed } = safeText(redacted.text);
  const sanitised = changed || redacted.found.length > 0;
  return context.database.asEngine((tx) =>
    keepTranscript(tx, { sessionId, after, epoch: context.epoch }, { seq, content: value, capturedAt, sanitised }),
  );
}

/** As they were when the session was first read; what an agent writes into them later is not a secret. */
async function secretsOf(context: DriverContext, runId: string): Promise<string[]> {
  const [run] = await context.database.asEngine(
    (tx) => tx<{ repo_path: string; base_commit: string; worktree_root: string }[]>`
      select repo_path, base_commit, worktree_root from app.runs where id = ${runId}`,
  );
  return run ? await knownSecrets(context, run) : [];
}
