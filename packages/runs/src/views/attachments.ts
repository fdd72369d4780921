/** An attachment of a run whose file was not removed; undefined when the caller can see none of that id. */
import type { StoredAttachment } from "../attachments/attachment-file.ts";
import type { Reader } from "./reader.ts";

export async function storedAttachment(
  { database, claims }: Reader,
  runId: string,
  id: string,
): Promise<StoredAttachment | undefined> {
  const [row] = await database.withClaims(
    claims,
    (tx) => tx<StoredAttachment[]>`
      select id, name, hash from app.run_attachments where id = ${id} and run_id = ${runId} and removed_at is null`,
  );
  return row;
}
