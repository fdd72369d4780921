/**
 * The repository around a folder, read from its files, since starting git three times would cost more than the rest.
 *
 * - `findCheckout(folder)` its root, branch (also in a worktree) and base branch.
 */
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";

export interface Checkout {
  readonly root: string;
  /** Undefined when HEAD is detached. */
  readonly branch?: string;
  /** The remote's default branch; else main or master, whichever exists. */
  readonly base?: string;
}

export function findCheckout(folder: string): Checkout | undefined {
  for (let root = resolve(folder); ; root = dirname(root)) {
    const gitFolder = gitFolderOf(root);
    if (gitFolder) {
      const shared = sharedFolderOf(gitFolder);
      const branch = symbolicRef(join(gitFolder, "HEAD"), "refs/heads/");
      const base = baseBranch(shared);
      return { root, ...(branch ? { branch } : {}), ...(base ? { base } : {}) };
    }
    if (root === dirname(root)) return undefined;
  }
}

/** In a worktree `.git` is a file with the folder's path. */
function gitFolderOf(root: string): string | undefined {
  const path = join(root, ".git");
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) return undefined;
  if (found.isDirectory()) return existsSync(join(path, "HEAD")) ? path : undefined;
  const target = /^gitdir: (.+)$/m.exec(readText(path) ?? "")?.[1];
  return target && (isAbsolute(target) ? target : join(root, target));
}

function sharedFolderOf(gitFolder: string): string {
  const common = readText(join(gitFolder, "commondir"))?.trim();
  return common ? resolve(gitFolder, common) : gitFolder;
}

function baseBranch(shared: string): string | undefined {
  const remote = symbolicRef(join(shared, "refs/remotes/origin/HEAD"), "refs/remotes/origin/");
  if (remote) return remote;
  const packed = readText(join(shared, "packed-refs")) ?? "";
  return ["main", "master"].find(
    (name) => existsSync(join(shared, "refs/heads", name)) || packed.includes(` refs/heads/${name}\n`),
  );
}

function symbolicRef(file: string, prefix: string): string | undefined {
  const target = /^ref: (.+)$/m.exec(readText(file) ?? "")?.[1];
  return target?.startsWith(prefix) ? target.slice(prefix.length) : undefined;
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
