/**
 * The session files of a repository, as Claude Code and Codex keep them in the person's home.
 *
 * - `sessionFiles(root, env)` the newest 200 of each, oldest first.
 */
import { open, readdir, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join, sep } from "node:path";
import type { Environment } from "@devflow/core/config";
import { parseJson } from "@devflow/core/read-if-there";

const most = 200;

export async function sessionFiles(root: string, env: Environment): Promise<string[]> {
  const home = env.HOME || homedir();
  const claude = join(env.CLAUDE_CONFIG_DIR ?? join(home, ".claude"), "projects", root.replace(/[^A-Za-z0-9]/g, "-"));
  const codex = join(env.CODEX_HOME ?? join(home, ".codex"), "sessions");
  const own: string[] = await newest(await filesIn(claude, false));
  for (const path of await newest(await filesIn(codex, true))) if (await isOf(path, root)) own.push(path);
  return own;
}

async function filesIn(folder: string, recursive: boolean): Promise<string[]> {
  const found = await readdir(folder, { recursive, withFileTypes: true }).catch(() => []);
  return found
    .filter((one) => !one.isDirectory() && one.name.endsWith(".jsonl"))
    .map((one) => join(one.parentPath, one.name));
}

async function newest(paths: readonly string[]): Promise<string[]> {
  const dated = await Promise.all(
    paths.map(async (path) => ({ path, ms: (await stat(path).catch(() => undefined))?.mtimeMs ?? 0 })),
  );
  return dated
    .sort((a, b) => a.ms - b.ms)
    .slice(-most)
    .map(({ path }) => path);
}

/** Codex keeps the sessions of all folders together; the first line says which it was. */
async function isOf(path: string, root: string): Promise<boolean> {
  const handle = await open(path, "r").catch(() => undefined);
  if (!handle) return false;
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(65_536), 0, 65_536, 0);
    const [first = ""] = buffer.subarray(0, bytesRead).toString("utf8").split("\n", 1);
    const head = parseJson(first) as { payload?: { cwd?: unknown } } | undefined;
    // A first line may be longer than what was read of it.
    const cwd = head?.payload?.cwd ?? /"cwd":"((?:[^"\\]|\\.)*)"/.exec(first)?.[1];
    return typeof cwd === "string" && (cwd === root || cwd.startsWith(root + sep));
  } finally {
    await handle.close();
  }
}
