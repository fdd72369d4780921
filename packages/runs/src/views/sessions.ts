/** Sessions of the caller's runs that have not ended, newest first; or the run of one session. */
import type { SessionList } from "@devflow/protocol";
import type { z } from "zod";
import type { Reader } from "./reader.ts";
import { sessionJson, titleWithLane } from "./run-shapes.ts";

const mostSessions = 200;

export async function listSessions(
  { database, claims }: Reader,
  { all }: { readonly all: boolean },
): Promise<z.infer<typeof SessionList>["sessions"]> {
  const rows = await database.withClaims(
    claims,
    (tx) => tx<{ session: z.infer<typeof SessionList>["sessions"][number] }[]>`
      select ${sessionJson(tx)} || jsonb_build_object('runId', r.id, 'runTitle', ${titleWithLane(tx)}) as session
      from app.sessions s join app.runs r on r.id = s.run_id
      ${all ? tx`` : tx`where s.state not in ('DISPOSED', 'FAILED_NEEDS_HUMAN')`}
      order by s.created_at desc, s.id limit ${mostSessions}`,
  );
  return rows.map((row) => row.session);
}

/** The run of a session that the caller may see. */
export async function runOfSession({ database, claims }: Reader, sessionId: string): Promise<string | undefined> {
  const [row] = await database.withClaims(
    claims,
    (tx) => tx<{ run_id: string }[]>`select run_id from app.sessions where id = ${sessionId}`,
  );
  return row?.run_id;
}
