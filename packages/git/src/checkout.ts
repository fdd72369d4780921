/**
 * The repository around a folder, read from its files: hooks and skills start too often to call git each time. Built-ins only.
 *
 * - `findCheckout(folder)` its root, its git folders, branch (also in a worktree), base branch and HEAD; undefined outside one.
 * - `isOutsideRepositories(folder)` true when git would find none: git need not be started to say so.
 * - `remoteUrls(checkout)` the remotes as the repository's own configuration has them, `origin` first; undefined when that takes
 *   git, because the configuration includes other files.
 */
import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";

export interface Checkout {
  readonly root: string;
  /** `.git`, or the worktree's own folder in it. */
  readonly gitFolder: string;
  /** What all worktrees share. */
  readonly commonFolder: string;
  /** Undefined when HEAD is detached. */
  readonly branch?: string;
  /** The remote's default branch; else main or master, whichever exists. */
  readonly base?: string;
}

export function findCheckout(folder: string): Checkout | undefined {
  for (let root = resolve(folder); ; root = dirname(root)) {
    const gitFolder = gitFolderOf(root);
    if (gitFolder) {
      const commonFolder = sharedFolderOf(gitFolder);
      const branch = symbolicRef(join(gitFolder, "HEAD"), "refs/heads/");
      const base = baseBranch(commonFolder);
      return { root, gitFolder, commonFolder, ...(branch ? { branch } : {}), ...(base ? { base } : {}) };
    }
    if (root === dirname(root)) return undefined;
  }
}

/** Where something looks like a repository, the answer is git's: it may be broken, another person's, or bare. */
export function isOutsideRepositories(folder: string): boolean {
  try {
    for (let at = realpathSync(folder); ; at = dirname(at)) {
      if (existsSync(join(at, ".git")) || existsSync(join(at, "HEAD"))) return false;
      if (at === dirname(at)) return true;
    }
  } catch {
    return false;
  }
}

/** Undefined before the first commit, and when the refs are stored in a way that takes git to read. */
export function headCommit({ gitFolder, commonFolder }: Checkout): string | undefined {
  const head = readText(join(gitFolder, "HEAD"))?.trim() ?? "";
  const ref = /^ref: (.+)$/.exec(head)?.[1];
  const text = ref === undefined ? head : (readText(join(commonFolder, ref))?.trim() ?? packedRef(commonFolder, ref));
  return text !== undefined && /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(text) ? text : undefined;
}

export function remoteUrls({ commonFolder }: Checkout): readonly string[] | undefined {
  const text = readText(join(commonFolder, "config"));
  if (text === undefined || /^\s*\[include|worktreeconfig/im.test(text)) return undefined;
  const found: { name: string; url: string }[] = [];
  let name: string | undefined;
  for (const line of text.split("\n")) {
    const section = /^\s*\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]/.exec(line);
    if (section) name = section[1]?.toLowerCase() === "remote" ? section[2]?.replace(/\\(.)/g, "$1") : undefined;
    const url = /^\s*(?:\[[^\]]*\]\s*)?url\s*=\s*(.*)$/i.exec(line)?.[1];
    if (name !== undefined && url !== undefined) found.push({ name, url: unquoted(url) });
  }
  return found.sort((a, b) => Number(b.name === "origin") - Number(a.name === "origin")).map(({ url }) => url);
}

/** A comment starts at ; or #, unless it is quoted. */
function unquoted(value: string): string {
  const quoted = /^"((?:[^"\\]|\\.)*)"/.exec(value)?.[1];
  return (quoted?.replace(/\\(.)/g, "$1") ?? value.replace(/\s*[;#].*$/, "")).trim();
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

function packedRef(shared: string, ref: string): string | undefined {
  const packed = readText(join(shared, "packed-refs")) ?? "";
  const at = packed.indexOf(` ${ref}\n`);
  return at < 0 ? undefined : packed.slice(packed.lastIndexOf("\n", at) + 1, at);
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
