/** Edits `config.yaml` in place: comments and order stay, the old content or the new one is there, never half of it. */
import { dirname } from "node:path";
import { parseDocument } from "yaml";
import { ensurePrivateFolder, readPrivateFile, writeFileAtomic } from "./atomic-file.ts";
import type { SettingKey } from "./config.ts";
import { DevflowError } from "./errors.ts";

/** `undefined` removes the setting. */
export async function writeSetting(path: string, key: SettingKey, value: unknown): Promise<void> {
  await ensurePrivateFolder(dirname(path));
  const document = parseDocument((await readPrivateFile(path)) ?? "");
  if (document.errors[0]) {
    const problem = `${path} is not valid YAML: ${document.errors[0].message.split("\n")[0]}`;
    throw new DevflowError("input_invalid", { details: { problem, next: "Mend the file first." } });
  }
  if (value === undefined) document.delete(key);
  else document.set(key, value);
  await writeFileAtomic(path, document.toString());
}
