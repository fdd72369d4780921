import { stat } from "node:fs/promises";

/** Is there anything at this path? */
export async function isThere(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}
