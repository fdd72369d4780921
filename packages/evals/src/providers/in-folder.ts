/** `inFolder(cwd, work)` works in the folder, or in an empty one that is removed afterwards. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export async function inFolder<T>(cwd: string | undefined, work: (folder: string) => Promise<T>): Promise<T> {
  if (cwd !== undefined) return await work(cwd);
  const folder = await mkdtemp(join(tmpdir(), "devflow-agent-"));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
