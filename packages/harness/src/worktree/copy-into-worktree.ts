/**
 * Copies uncommitted files that a run needs (`copy` in `.devflow.json`) from the repository's folder.
 *
 * - `copyIntoWorktree(options)` copies plain files, private to the user; returns which were absent. A link that leads out
 *   of the repository, or a folder, is refused. Existing files are replaced.
 */
import { constants } from "node:fs";
import { chmod, copyFile, mkdir, realpath, rm, stat } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { DevflowError } from "@devflow/core/errors";

export interface CopyOptions {
  readonly repository: string;
  readonly worktree: string;
  /** Paths inside the repository, as returned by `readRepositorySettings`. */
  readonly files: readonly string[];
}

export async function copyIntoWorktree(options: CopyOptions): Promise<{ copied: string[]; absent: string[] }> {
  const copied: string[] = [];
  const absent: string[] = [];
  const repository = await realpath(options.repository);
  const worktree = await realpath(options.worktree);
  for (const file of options.files) {
    const source = await realpath(join(repository, file)).catch(() => undefined);
    if (source === undefined) {
      absent.push(file);
      continue;
    }
    if (!source.startsWith(repository + sep)) throw refused(file, "leads out of the repository");
    if (!(await stat(source)).isFile()) throw refused(file, "is not a plain file");
    const target = join(worktree, file);
    await mkdir(dirname(target), { recursive: true });
    // The base commit may contain a link where a folder should be.
    if (!`${await realpath(dirname(target))}${sep}`.startsWith(worktree + sep))
      throw refused(file, "leads out of the worktree");
    await rm(target, { force: true });
    await copyFile(source, target, constants.COPYFILE_EXCL);
    await chmod(target, 0o600);
    copied.push(file);
  }
  return { copied, absent };
}

function refused(file: string, reason: string): DevflowError {
  const details = {
    problem: `${file}, listed under copy in .devflow.json, ${reason}.`,
    next: "List plain files inside the repository.",
  };
  return new DevflowError("input_invalid", { details });
}
