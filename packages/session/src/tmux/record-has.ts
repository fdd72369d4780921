/** Whether a message of the user in an agent's record contains a text. */
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import type { RecordReader } from "./record-event.ts";

export async function recordHas(path: string, text: string, read: RecordReader): Promise<boolean> {
  for await (const line of createInterface({ input: createReadStream(path, "utf8") })) {
    if (!line.includes(text)) continue;
    if (read(line).some((event) => event.kind === "user_text" && event.text.includes(text))) return true;
  }
  return false;
}
