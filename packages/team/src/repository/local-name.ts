/**
 * The names of a repository on this machine; see also `@devflow/core/canonical-remote`.
 *
 * - `localName(folder, machine)` the name of a repository without a remote, which only this machine has.
 * - `folderKey(name)` the same as the name of one folder: cache, skills and commands all use it.
 *
 * An entry point of its own, because hooks read the remotes without git.
 */
import { basename, dirname } from "node:path";
import { hashBytes } from "@devflow/core/hash";

/** `folder`: the git folder that all worktrees share. */
export function localName(folder: string, machine: string): string {
  const name = basename(folder) === ".git" ? basename(dirname(folder)) : basename(folder);
  return `local/${name.slice(0, 100)}-${hashBytes(`${machine}\0${folder}`).slice(0, 8)}`;
}

export function folderKey(name: string): string {
  const key = encodeURIComponent(name).replace(/[.*'()!~]/g, (sign) =>
    sign === "." || sign === "~" ? sign : `%${sign.charCodeAt(0).toString(16)}`,
  );
  // No folder is hidden, and none is this one or the one above.
  const visible = key.replace(/^\./, "%2E");
  return visible.length <= 180 ? visible : `${visible.slice(0, 160)}-${hashBytes(name).slice(0, 16)}`;
}
