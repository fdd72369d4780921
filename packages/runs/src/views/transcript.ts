/** A session's transcript, a page at a time; undefined when the caller cannot see such a session. */

import type { Transcript } from "@devflow/protocol";
import type { z } from "zod";
import type { Reader } from "./reader.ts";

const mostChunks = 1000;

export async function transcriptPage(
  { database, claims }: Reader,
  sessionId: string,
  { from, limit, last }: { readonly from: number; readonly limit: number; readonly last?: boolean },
): Promise<z.infer<typeof Transcript> | undefined> {
  const most = Math.min(limit, mostChunks);
  const [row] = await database.withClaims(
    claims,
    (tx) => tx<{ chunks: z.infer<typeof Transcript>["chunks"] }[]>`
      select (select coalesce(jsonb_agg(jsonb_build_object('seq', c.seq, 'content', c.content, 'at', app.iso(c.captured_at))
          order by c.seq), '[]') from (
          select * from app.transcript_chunks c where c.session_id = s.id and c.seq > ${from}
          order by c.seq ${last ? tx`desc` : tx``} limit ${last ? most : most + 1}) c) as chunks
      from app.sessions s where s.id = ${sessionId}`,
  );
  if (!row) return undefined;
  const chunks = row.chunks.slice(0, most);
  return { chunks, next: row.chunks.length > most ? (chunks.at(-1)?.seq ?? null) : null };
}
