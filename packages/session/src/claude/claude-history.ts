/**
 * Claude Code's own record of a session: a file of lines under its configuration folder.
 *
 * - `findHistory(env, id)` its path; undefined when the session never got a message.
 * - `historyHas(path, text)` whether a message of the user contains the text.
 */
import { createReadStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";

export async function findHistory(env: Readonly<Record<string, string>>, id: string): Promise<string | undefined> {
  const projects = join(env.CLAUDE_CONFIG_DIR ?? join(env.HOME ?? "", ".claude"), "projects");
  for (const project of await readdir(projects).catch(() => [])) {
    const path = join(projects, project, `${id}.jsonl`);
    if (await stat(path).catch(() => undefined)) return path;
  }
  return undefined;
}

export async function historyHas(path: string, text: string): Promise<boolean> {
  for await (const line of createInterface({ input: createReadStream(path, "utf8") })) {
    if (line.includes(text) && isOfUser(line)) return true;
  }
  return false;
}

function isOfUser(line: string): boolean {
  try {
    return (JSON.parse(line) as { type?: string }).type === "user";
  } catch {
    // The last line may have been cut by a kill.
    return false;
  }
}
