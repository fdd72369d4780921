/**
 * The files of a home that a backup contains: settings, keys, definitions, eval results, logs, and what runs wrote. Worktrees
 * are left out, because their branches are in the backup; Postgres and unpacked programs are left out too.
 *
 * - `filesOfHome(home, workspaceRoot)` each with its name in the backup.
 * - `placeOf(name, home, workspaceRoot)` where a file of a backup belongs.
 */
import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Home } from "@devflow/core/home";
import type { BackupFile } from "@devflow/db";

const folders = ["keys", "templates", "personas", "schemas", "evals", "log"] as const;
const singleFiles = ["prices.json", "quarantine.json"] as const;
const workspaces = "workspaces";

export async function filesOfHome(home: Home, workspaceRoot: string): Promise<BackupFile[]> {
  const files: BackupFile[] = [];
  for (const path of [home.configFile, home.machineIdFile]) {
    files.push({ name: basename(path), path });
  }
  for (const name of singleFiles) files.push({ name, path: join(home.root, name) });
  for (const name of folders) await collect(join(home.root, name), name, files);
  await collect(workspaceRoot, workspaces, files);
  return files.filter(({ path }) => existsSync(path));
}

export function placeOf(name: string, home: Home, workspaceRoot: string): string {
  return name.startsWith(`${workspaces}/`)
    ? join(workspaceRoot, name.slice(workspaces.length + 1))
    : join(home.root, name);
}

async function collect(folder: string, name: string, into: BackupFile[]): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  // A worktree or a repository: what is committed there is in the bundles of the branches.
  if (entries.some((entry) => entry.name === ".git")) return;
  // Copies of the run's attachments, made again when an agent needs them.
  if (name.endsWith("/instructions/attachments")) return;
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await collect(path, `${name}/${entry.name}`, into);
    else if (entry.isFile()) into.push({ name: `${name}/${entry.name}`, path });
  }
}
