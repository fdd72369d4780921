/** The text of a file that a person wrote, or why it cannot be had. A pipe or a huge file does not stop the reader. */
import { constants } from "node:fs";
import { open } from "node:fs/promises";

const maxFileBytes = 1024 * 1024;

export async function readText(path: string): Promise<string | { readonly reason: string }> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const found = await file.stat();
      if (!found.isFile()) return { reason: "it is not a file" };
      if (found.size > maxFileBytes) return { reason: `it has ${found.size} bytes; the limit is ${maxFileBytes}` };
      return new TextDecoder("utf-8", { fatal: true }).decode(await file.readFile());
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof TypeError) return { reason: "it is not valid UTF-8" };
    return { reason: `it cannot be read: ${(error as Error).message}` };
  }
}
