/**
 * The workspace that a browser belongs to: the git root around a folder, or the folder itself.
 *
 * - `findWorkspace(cwd)` the paths of its files. Creates nothing.
 */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

export interface Workspace {
  readonly root: string;
  /** `.devflow`, 0700, ignored by git. */
  readonly folder: string;
  /** 0600: the daemon's process and port, and the owner's token. */
  readonly stateFile: string;
  /** Held by the daemon as long as it lives. */
  readonly lockFile: string;
  /** Everything else of the browser: logs, tabs to restore, policy. */
  readonly browseFolder: string;
  /** The daemon's output when it could not start. */
  readonly startErrors: string;
}

export function findWorkspace(cwd: string): Workspace {
  return workspaceAt(gitRoot(cwd) ?? cwd);
}

export function workspaceAt(root: string): Workspace {
  const folder = join(root, ".devflow");
  const browseFolder = join(folder, "browse");
  return {
    root,
    folder,
    stateFile: join(folder, "browse.json"),
    lockFile: join(folder, "browse.lock"),
    browseFolder,
    startErrors: join(browseFolder, "start.err"),
  };
}

/** A worktree's `.git` is a file. */
function gitRoot(cwd: string): string | undefined {
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".git"))) return folder;
    if (dirname(folder) === folder) return undefined;
  }
}
