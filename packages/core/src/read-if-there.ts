/**
 * Reading what may not be there, or may not be what it should.
 *
 * - `readIfThere(path)` the text of a file; undefined when there is none. Any other failure is thrown.
 * - `parseJson(text)` its value; undefined when it is not JSON.
 */
import { readFile } from "node:fs/promises";

export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
