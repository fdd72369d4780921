/**
 * What a command changed in a worktree: by `sed`, a generator, `git mv`, `git checkout -- file`, or anything else.
 *
 * - `changedSince(checkout, before, options)` each changed file, with its content's name after the change; undefined when the index takes git
 *   to read, or there are more than 60,000 files.
 * - `madeByCommits(lines)` which commits the command made, from the log of HEAD, and whether it moved to other commits.
 *
 * One `lstat` per tracked file tells which inodes changed since the command began; `touch -d` and `cp -p` cannot hide that. Of those, a file
 * is changed when its content is another one than before: a `touch`, a `chmod`, or a generator that writes the same again is no edit.
 * The content before is what the caller knows, else what the index had; so a file that was changed by hand and is written again with
 * the same content counts, and one that git itself wrote anew (`git checkout -- file`) counts too. Files that a move brought (`git switch`,
 * `git pull`) are somebody's commits and no edits; a commit that the command made is.
 *
 * Git is loaded when it is needed: the hook before a command needs only the state. While it lists the files that are not tracked, the
 * others are looked at, with pauses: without them git would be started only after the last one (10,000 files on a busy machine: 244 ms instead of 319).
 */
import { closeSync, lstatSync, openSync, readSync, type Stats } from "node:fs";
import type { Checkout } from "@devflow/git/checkout";
import { fileHash } from "./blob-hash.ts";
import { parseIndex, type TrackedFile } from "./git-index.ts";
import { headLogFile, readIndex, type WorktreeState } from "./worktree-state.ts";

export interface ChangedFile {
  readonly path: string;
  /** Absent for a file that is gone, or large. */
  readonly hash?: string;
  readonly isGone: boolean;
  /** The file that it was, with the same content. */
  readonly from?: string;
}

interface Options {
  readonly signal?: AbortSignal;
  /** Content that is known from earlier edits, by path. */
  readonly known?: ReadonlyMap<string, string>;
}

const maxFiles = 60_000;
/** How far the clock of a file may be behind ours: the kernel's clock for files ticks every 4 or 10 ms. */
const tickMs = 10;
/** Files without a date in the index whose content is compared with those that are gone. */
const maxCompared = 500;
/** Files that are looked at in one go, about a millisecond. */
const filesAtOnce = 250;

export async function changedSince(
  checkout: Checkout,
  before: WorktreeState,
  options: Options = {},
): Promise<ChangedFile[] | undefined> {
  const listing = untrackedFiles(checkout, options);
  // Awaited below; it must not be an unhandled rejection if the scan throws first.
  listing.catch(() => {});
  const index = readIndex(checkout);
  const then = parseIndex(before.index, before.hashBytes);
  const now = index.equals(before.index) ? then : parseIndex(index, before.hashBytes);
  if (!then || !now || Math.max(then.length, now.length) > maxFiles) return undefined;
  const sinceMs = before.atMs - tickMs;
  const earlier = byPath(then);
  const later = now === then ? earlier : byPath(now);
  const touched = await touchedFiles(checkout, earlier, later, sinceMs);
  const gone = new Set([...touched].flatMap(([path, found]) => (found ? [] : [earlier.get(path)?.object])));
  let compared = 0;
  for (const path of await listing) {
    const found = lstatSync(`${checkout.root}/${path}`, { throwIfNoEntry: false });
    if (!found) continue;
    // A folder that was renamed leaves the inodes in it as they are.
    const isMoved = () => gone.size > 0 && ++compared <= maxCompared && gone.has(hashOf(checkout, path, before));
    if (found.ctimeMs >= sinceMs || isMoved()) touched.set(path, found);
  }
  const changed = [...touched].flatMap(([path, found]): Changed | [] => {
    const was = options.known?.get(path) ?? earlier.get(path)?.object;
    const hash = found ? hashOf(checkout, path, before) : undefined;
    if (!found && was === undefined) return [];
    const isSame = hash !== undefined && hash === was;
    if (isSame && !isWrittenByGit(found, earlier.get(path), later.get(path), sinceMs)) return [];
    return { path, isGone: !found, ...(hash ? { hash } : {}), ...(was ? { was } : {}) };
  });
  const own = await withoutMoved(checkout, before, changed, now, options);
  const moved = new Map(own.filter(({ isGone, was }) => isGone && was).map(({ path, was }) => [was, path]));
  return own.map(({ was, ...file }): ChangedFile => {
    const from = was === undefined && file.hash !== undefined ? moved.get(file.hash) : undefined;
    return from === undefined ? file : { ...file, from };
  });
}

function byPath(files: readonly TrackedFile[]): Map<string, TrackedFile> {
  const found = new Map<string, TrackedFile>();
  for (const file of files) found.set(file.path, file);
  return found;
}

type Changed = ChangedFile & { readonly was?: string };

const hashOf = ({ root }: Checkout, path: string, { hashBytes }: WorktreeState): string | undefined =>
  fileHash(`${root}/${path}`, hashBytes);

/** Those whose inode changed, those that are gone, and those that are tracked only since. */
async function touchedFiles(
  { root }: Checkout,
  earlier: ReadonlyMap<string, TrackedFile>,
  later: ReadonlyMap<string, TrackedFile>,
  sinceMs: number,
): Promise<Map<string, Stats | undefined>> {
  const touched = new Map<string, Stats | undefined>();
  const added = later === earlier ? [] : [...later.keys()].filter((path) => !earlier.has(path));
  let seen = 0;
  for (const path of earlier.keys()) {
    if (seen++ % filesAtOnce === 0) await pause();
    const found = lstatSync(`${root}/${path}`, { throwIfNoEntry: false });
    if (!found || found.ctimeMs >= sinceMs) touched.set(path, found);
  }
  for (const path of added) touched.set(path, lstatSync(`${root}/${path}`, { throwIfNoEntry: false }));
  return touched;
}

const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A new inode that the index knows already: git replaces only files that differ from what it writes. */
function isWrittenByGit(
  found: Stats | undefined,
  then: TrackedFile | undefined,
  now: TrackedFile | undefined,
  sinceMs: number,
): boolean {
  if (!found || !then || !now || then.mtimeMs === now.mtimeMs) return false;
  return found.birthtimeMs >= sinceMs && Math.abs(now.mtimeMs - found.mtimeMs) < 1;
}

async function untrackedFiles({ root }: Checkout, { signal }: Options): Promise<string[]> {
  const { git } = await import("@devflow/git");
  const { stdout } = await git(["ls-files", "--others", "--exclude-standard", "-z"], {
    cwd: root,
    maxOutput: 4_000_000,
    ...(signal ? { signal } : {}),
  });
  return stdout.split("\0").filter((path) => path !== "" && !path.endsWith("/"));
}

async function withoutMoved<File extends ChangedFile>(
  checkout: Checkout,
  { headLogBytes }: WorktreeState,
  changed: readonly File[],
  after: readonly { readonly path: string; readonly object: string }[],
  { signal }: Options,
): Promise<readonly File[]> {
  const { isMoved, commits } = madeByCommits(linesSince(headLogFile(checkout), headLogBytes));
  if (!isMoved || changed.length === 0) return changed;
  const { git } = await import("@devflow/git");
  const committed = new Set<string>();
  for (const [from, to] of commits.slice(0, 20)) {
    const { stdout } = await git(["diff-tree", "-r", "--name-only", "-z", "--root"], {
      cwd: checkout.root,
      revisions: from === undefined ? [to] : [from, to],
      ...(signal ? { signal } : {}),
    });
    for (const path of stdout.split("\0")) committed.add(path);
  }
  const objects = new Map(after.map(({ path, object }) => [path, object]));
  return changed.filter(({ path, hash }) => committed.has(path) || objects.get(path) !== hash);
}

export interface HeadMoves {
  readonly isMoved: boolean;
  /** Each commit that was made, with the one before it. */
  readonly commits: readonly (readonly [from: string | undefined, to: string])[];
}

export function madeByCommits(lines: readonly string[]): HeadMoves {
  const commits: [string | undefined, string][] = [];
  let isMoved = false;
  for (const line of lines) {
    const [, from = "", to = "", message = ""] = /^([0-9a-f]{40,64}) ([0-9a-f]{40,64}) [^\t]*\t?(.*)$/.exec(line) ?? [];
    if (to === "" || from === to) continue;
    if (/^(?:commit|cherry-pick|revert)\b/.test(message)) commits.push([/^0+$/.test(from) ? undefined : from, to]);
    else isMoved = true;
  }
  return { isMoved, commits };
}

function linesSince(file: string, bytes: number): string[] {
  try {
    const opened = openSync(file, "r");
    try {
      const buffer = Buffer.alloc(100_000);
      const length = readSync(opened, buffer, 0, buffer.length, bytes);
      return buffer.toString("utf8", 0, length).split("\n").filter(Boolean);
    } finally {
      closeSync(opened);
    }
  } catch {
    // A repository may keep no log.
    return [];
  }
}
