/**
 * Reads another program's SQLite database without touching it.
 *
 * - `withCopiedDatabase(path, read)` copies it with its WAL into a private folder, reads the copy, and always removes the
 *   folder. The browser may be running; its latest writes are in the WAL.
 */
import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

export async function withCopiedDatabase<T>(path: string, read: (database: DatabaseSync) => T): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "devflow-cookies-"));
  try {
    const copy = join(folder, "database");
    await copyFile(path, copy);
    for (const part of ["-wal", "-shm", "-journal"]) await copyFile(`${path}${part}`, `${copy}${part}`).catch(absent);
    const database = new DatabaseSync(copy);
    try {
      return read(database);
    } finally {
      database.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function absent(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}
