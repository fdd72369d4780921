/**
 * Writes Devflow's hooks into a host's settings file, and takes them out again.
 *
 * - `installHooks(file, entries, backups)`, `uninstallHooks(file, backups)` the outcome; doing either twice changes nothing.
 * - `installedHooks(file)` the entries that are there now.
 *
 * Everything else in the file stays byte for byte. A file that is no JSON is refused and left alone; so is one that is read-only. A link
 * stays a link. Uninstalling gives back the file as it was, if nobody changed it since; otherwise it takes out only Devflow's entries.
 */
import { constants } from "node:fs";
import { access, chmod, chown, mkdir, readFile, readlink, realpath, rm, rmdir, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { writeFileAtomic } from "@devflow/core/atomic-file";
import { DevflowError } from "@devflow/core/errors";
import { hashBytes } from "@devflow/core/hash";
import { parseJson, readIfThere } from "@devflow/core/read-if-there";
import { entriesIn, type HookEntry, withEntries, withoutEntries } from "./hook-entries.ts";
import { JsonFault } from "./json-tree.ts";

export const hookOutcomes = ["installed", "updated", "unchanged", "removed", "absent"] as const;
export type HookOutcome = (typeof hookOutcomes)[number];

/** `backups`: the folder in Devflow's home that keeps what was there before. */
export async function installHooks(file: string, entries: readonly HookEntry[], backups: string): Promise<HookOutcome> {
  const target = await targetOf(file);
  const before = await textOf(target);
  const after = edited(target, () => withEntries(before ?? "", entries));
  if (after === before) return "unchanged";
  await refuseReadOnly(target);
  const isUpdate = before !== undefined && edited(target, () => entriesIn(before)).length > 0;
  const known = await readBackup(backups, target);
  const original = !isUpdate
    ? before
    : known?.after === hashBytes(before)
      ? known.before
      : edited(target, () => withoutEntries(before));
  const made = known?.madeFolder === true || (await makeFolder(dirname(target)));
  await writeBackup(backups, target, { before: original ?? null, after: hashBytes(after), madeFolder: made });
  await write(target, after);
  return isUpdate ? "updated" : "installed";
}

export async function uninstallHooks(file: string, backups: string): Promise<HookOutcome> {
  const target = await targetOf(file);
  const before = await textOf(target);
  if (before === undefined) return "absent";
  const after = edited(target, () => withoutEntries(before));
  if (after === before) return "absent";
  await refuseReadOnly(target);
  const known = await readBackup(backups, target);
  const original = known?.after === hashBytes(before) ? known.before : after;
  if (original === null) {
    await rm(target);
    if (known?.madeFolder) await rmdir(dirname(target)).catch(() => undefined);
  } else await write(target, original);
  await rm(backupFile(backups, target), { force: true });
  return "removed";
}

export async function installedHooks(file: string): Promise<HookEntry[]> {
  const target = await targetOf(file);
  const text = await textOf(target);
  return text === undefined ? [] : edited(target, () => entriesIn(text));
}

function edited<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    throw new DevflowError("input_invalid", {
      details: {
        problem: `${file} is not valid JSON, so it was left as it is (${error.message}).`,
        next: "Fix it, then repeat the command.",
      },
      cause: error,
    });
  }
}

/** The file itself, where people keep their settings elsewhere and link to them. */
async function targetOf(file: string): Promise<string> {
  try {
    return await realpath(file);
  } catch (error) {
    if ((error as { code?: string }).code !== "ENOENT") throw error;
    // A link to a file that is not there yet.
    const linked = await readlink(file).catch(() => undefined);
    return linked === undefined ? file : resolve(dirname(file), linked);
  }
}

const textOf = (file: string): Promise<string | undefined> => readIfThere(file);

async function refuseReadOnly(target: string): Promise<void> {
  const found = await stat(target).catch(() => undefined);
  const isWritable = await access(target, constants.W_OK).then(
    () => true,
    () => false,
  );
  // Root may write anything; a file that its owner marked as read-only stays as it is.
  if (!found || (isWritable && (found.mode & 0o200) !== 0)) return;
  throw readOnly(target);
}

function readOnly(target: string, cause?: unknown): DevflowError {
  return new DevflowError("input_invalid", {
    details: {
      problem: `${target} is read-only, so nothing was changed.`,
      next: `Make it writable (chmod u+w ${target}), then repeat the command.`,
    },
    cause,
  });
}

async function makeFolder(folder: string): Promise<boolean> {
  return (await mkdir(folder, { recursive: true })) !== undefined;
}

async function write(target: string, text: string): Promise<void> {
  const found = await stat(target).catch(() => undefined);
  try {
    await writeFileAtomic(target, text, 0o600);
    if (!found) return;
    await chmod(target, found.mode & 0o7777);
    if (process.getuid?.() === 0) await chown(target, found.uid, found.gid);
  } catch (error) {
    const code = (error as { code?: string }).code ?? "";
    if (!["EACCES", "EPERM", "EROFS"].includes(code)) throw error;
    throw readOnly(target, error);
  }
}

interface Backup {
  /** Null: there was no file. */
  readonly before: string | null;
  /** The hash of what Devflow wrote. */
  readonly after: string;
  readonly madeFolder: boolean;
}

const backupFile = (folder: string, target: string): string => join(folder, `${hashBytes(target).slice(0, 32)}.json`);

async function readBackup(folder: string, target: string): Promise<Backup | undefined> {
  const text = await readFile(backupFile(folder, target), "utf8").catch(() => "");
  return parseJson(text) as Backup | undefined;
}

async function writeBackup(folder: string, target: string, backup: Backup): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFileAtomic(backupFile(folder, target), `${JSON.stringify(backup)}\n`);
}
