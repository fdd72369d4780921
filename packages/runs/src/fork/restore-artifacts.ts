/**
 * Writes the artifacts that a fork began with into its folder, from their rows. Repeated after a crash it writes them again;
 * nobody works in the fork before it has succeeded.
 */
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { writeFileAtomic } from "@devflow/core/atomic-file";
import type { EngineContext } from "../engine/context.ts";

export async function restoreArtifacts(
  { database }: Pick<EngineContext, "database">,
  { id }: { readonly id: string },
): Promise<void> {
  const files = await database.asEngine(
    (tx) => tx<{ path: string; content: string }[]>`
      select path, content from app.artifacts where run_id = ${id} and valid and content is not null`,
  );
  for (const { path, content } of files) {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFileAtomic(path, content);
  }
}
