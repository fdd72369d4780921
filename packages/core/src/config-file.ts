/** Edits `config.yaml` in place: comments and order stay, the old content or the new one is there, never half of it. */
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
    const problem = `${path} cannot be changed: ${fault ?? "it holds no names and values"}`;
    throw new DevflowError("input_invalid", {
      details: { problem, next: "Mend the file first; see: devflow config list" },
    });
  }
  if (value === undefined) document.delete(key);
  else document.set(key, value);
  await writeFileAtomic(path, document.toString());
}
