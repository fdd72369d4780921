/** Edits `config.yaml` in place, keeping comments and order; the file has either the old content or the new one. */
import { dirname } from "node:path";
import { isMap, parseDocument } from "yaml";
import { ensurePrivateFolder, readPrivateFile, writeFileAtomic } from "./atomic-file.ts";
import type { SettingKey } from "./config.ts";
import { DevflowError } from "./errors.ts";

/** `undefined` removes the setting. */
export async function writeSetting(path: string, key: SettingKey, value: unknown): Promise<void> {
  await ensurePrivateFolder(dirname(path));
  const document = parseDocument((await readPrivateFile(path)) ?? "");
  const fault = document.errors[0]?.message.split("\n")[0];
  if (fault !== undefined || (document.contents !== null && !isMap(document.contents))) {
    const problem = `${path} cannot be changed: ${fault ?? "it is not an object"}`;
    throw new DevflowError("input_invalid", {
      details: { problem, next: "Fix the file first; see: devflow config list" },
    });
  }
  if (value === undefined) document.delete(key);
  else document.set(key, value);
  await writeFileAtomic(path, document.toString());
}
