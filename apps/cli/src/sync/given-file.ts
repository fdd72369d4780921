/**
 * Reading a file that the person named.
 *
 * - `givenFile(path, next, read)` what `read` gives; one that is not there and a folder are told in words, with what to give instead.
 */
import { DevflowError } from "@devflow/core/errors";

export async function givenFile<T>(path: string, next: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR")
      throw new DevflowError("not_found", { details: { what: path, next }, cause });
    if (code === "EISDIR")
      throw new DevflowError("input_invalid", { details: { problem: `${path} is a folder.`, next }, cause });
    throw cause;
  }
}
