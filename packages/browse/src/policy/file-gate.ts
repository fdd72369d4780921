/**
 * Which paths commands may write or read: inside the workspace or the temp folder, decided on the real path, never
 * through a link at its end, and never a file that runs code or holds secrets.
 *
 * - `createFileGate({ cwd, roots })` relative paths start at `cwd`.
 * - `forWriting(path)` creates the folders. The file is put there by a rename, which replaces a link and never follows it.
 */
import { closeSync, constants, lstatSync, mkdirSync, openSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { DevflowError } from "@devflow/core/errors";
import type { FileGate } from "../command.ts";

export interface FileGateOptions {
  readonly cwd: string;
  /** The workspace first. */
  readonly roots: readonly string[];
}

export function createFileGate(options: FileGateOptions): FileGate {
  const roots = realRoots(options.roots);
  const refuse = (path: string, reason: string, cause?: unknown) =>
    new DevflowError("browse_path_refused", { details: { path, reason, roots: roots.join(" or ") }, cause });

  return {
    ...(roots[0] === undefined ? {} : { workspace: roots[0] }),
    async forWriting(path) {
      const wanted = resolve(options.cwd, path);
      const folder = realFolder(dirname(wanted), roots, (reason) => refuse(path, reason));
      const target = join(folder, basename(wanted));
      const reason = writeRefusal(target, roots);
      if (reason) throw refuse(path, reason);
      try {
        closeSync(openSync(target, constants.O_WRONLY | constants.O_NOFOLLOW));
      } catch (error) {
        const code = (error as NodeJS.ErrnoException).code;
        if (code === "ELOOP") throw refuse(path, "it is a link", error);
        if (code === "EISDIR") throw refuse(path, "it is a folder", error);
        if (code !== "ENOENT") throw error;
      }
      return target;
    },
    async forReading(path) {
      const wanted = resolve(options.cwd, path);
      const reason = fileRefusal(wanted, roots);
      if (reason) throw refuse(path, reason);
      return realpathSync(wanted);
    },
  };
}

/** Why a file may not be read or shown; undefined when it may. */
export function fileRefusal(path: string, givenRoots: readonly string[]): string | undefined {
  const roots = realRoots(givenRoots);
  let real: string;
  try {
    real = realpathSync(path);
  } catch {
    return "there is no such file";
  }
  if (!isInside(real, roots)) return "it is outside the workspace and the temp folder";
  const { uid } = statSync(real);
  if (uid !== process.getuid?.() && !isInside(real, roots.slice(0, 1))) return "it belongs to another user";
  return protectedReason(real, roots);
}

function writeRefusal(target: string, roots: readonly string[]): string | undefined {
  if (!isInside(target, roots)) return "it is outside the workspace and the temp folder";
  try {
    if (lstatSync(target).isSymbolicLink()) return "it is a link";
  } catch {
    // Does not exist yet.
  }
  return protectedReason(target, roots);
}

/** Git hooks run as the user, the state file has the owner's token, and files with these names usually hold secrets. */
function protectedReason(path: string, roots: readonly string[]): string | undefined {
  const root = roots.find((one) => isInside(path, [one])) ?? "/";
  const parts = relative(root, path).split(sep);
  if (parts.includes(".git")) return "git's own files are off limits";
  const devflow = parts.indexOf(".devflow");
  if (devflow >= 0 && /^browse(?:\.|$)/.test(parts[devflow + 1] ?? "") && parts[devflow + 2] !== "evidence") {
    return "the browser's own files are off limits";
  }
  const name = parts.at(-1) ?? "";
  if (/^\.env(?:\..+)?$|^id_(?:rsa|ecdsa|ed25519)$|\.(?:pem|key|p12)$|^\.(?:npmrc|netrc|pgpass)$/.test(name)) {
    return "it may contain secrets";
  }
  return undefined;
}

/** The real path of the folder; missing parts are created. */
function realFolder(folder: string, roots: readonly string[], refuse: (reason: string) => DevflowError): string {
  let existing = folder;
  const missing: string[] = [];
  for (;;) {
    try {
      existing = realpathSync(existing);
      break;
    } catch {
      missing.unshift(basename(existing));
      existing = dirname(existing);
    }
  }
  const real = join(existing, ...missing);
  if (!isInside(real, roots) && !roots.includes(real)) throw refuse("it is outside the workspace and the temp folder");
  if (missing.length > 0) mkdirSync(real, { recursive: true, mode: 0o700 });
  return real;
}

function realRoots(roots: readonly string[]): string[] {
  return roots.flatMap((root) => {
    try {
      return [realpathSync(root)];
    } catch {
      return [];
    }
  });
}

const isInside = (path: string, roots: readonly string[]): boolean =>
  roots.some((root) => path.startsWith(root.endsWith(sep) ? root : `${root}${sep}`));
