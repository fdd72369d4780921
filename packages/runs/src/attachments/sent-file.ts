/**
 * The content of attachments of runs on other machines than the one that they were uploaded to. It is in Postgres, because the
 * machines share no disk.
 *
 * - `sendFile(tx, attachment, bytes)` with what gives the attachment to its run. `sentFile(tx, id)` undefined when there is none.
 */
import type { Transaction } from "@devflow/db";

export async function sendFile(
  tx: Transaction,
  { id, teamId }: { readonly id: string; readonly teamId: string },
  bytes: Buffer,
): Promise<void> {
  await tx`
    insert into app.run_attachment_files (attachment_id, team_id, content)
    values (${id}, ${teamId}, decode(${bytes.toString("base64")}, 'base64'))`;
}

export async function sentFile(tx: Transaction, id: string): Promise<Buffer<ArrayBuffer> | undefined> {
  const [row] = await tx<{ content: string }[]>`
    select encode(content, 'base64') as content from app.run_attachment_files where attachment_id = ${id}`;
  return row && Buffer.from(row.content, "base64");
}
