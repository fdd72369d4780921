/**
 * Moves the answer of an earlier attempt away before the question is asked again.
 *
 * - `setAside(path, attempt)` moves it to `<path>.attempt-<n>`; returns the new path, or undefined when there was no file.
 * - `clearPlace(path, attempt)` the same, and leaves nothing at the path: before a question is asked, no file there can be
 *   its answer, neither an early agent's nor anyone else's.
 *
 * One rename, so it happens completely or not at all. Called again after a crash it keeps a newer answer: once the file of
 * an attempt has been set aside, the file at the path belongs to a later one.
 */
import { lstat, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { syncFolder } from "@devflow/core/atomic-file";

async function setAside(path: string, attempt: number): Promise<string | undefined> {
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
