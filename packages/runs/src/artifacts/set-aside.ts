/**
 * Moves the answer of an earlier attempt out of the way before the question is asked again.
 *
 * - `setAside(path, attempt)` to `<path>.attempt-<n>`; where it is now, or undefined when there was nothing.
 * - `clearPlace(path, attempt)` the same, and nothing is left at the path: for a question that was not asked yet, whatever
 *   stands there is no answer, be it an agent's that was early or somebody else's.
 *
 * One rename, so it is done or not done. Called again after a crash it leaves a newer answer alone: once the file of an
 * attempt has been set aside, whatever stands at the path belongs to a later one.
 */
import { lstat, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { syncFolder } from "@devflow/core/atomic-file";

export async function setAside(path: string, attempt: number): Promise<string | undefined> {
  const aside = `${path}.attempt-${attempt}`;
  if (await isThere(aside)) return aside;
  try {
    await rename(path, aside);
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
  await syncFolder(dirname(path));
  return aside;
}

export async function clearPlace(path: string, attempt: number): Promise<void> {
  await setAside(path, attempt);
  for (let stray = 1; await isThere(path); stray++) await setAside(path, attempt + stray / 1000);
}

async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
}

const isAbsent = (error: unknown): boolean => ["ENOENT", "ENOTDIR"].includes((error as { code?: string }).code ?? "");
