/** Where a command writes its output: the given path, or a new one in the workspace's `.devflow` folder. */
import { join } from "node:path";
import type { FileGate } from "../../command.ts";

export async function outputFile(
  files: FileGate,
  given: string | undefined,
  { folder, extension }: { readonly folder: string; readonly extension: string },
): Promise<string> {
  if (given !== undefined) return await files.forWriting(given);
  const stamp = new Date().toISOString().replace(/[-:]/g, "").replace("T", "-").slice(0, 19);
  return await files.forWriting(join(files.workspace ?? ".", ".devflow", folder, `${stamp}.${extension}`));
}

export function sizeWords(bytes: number): string {
  return bytes < 10_000 ? `${bytes} bytes` : `${Math.round(bytes / 1000)} KB`;
}
