/**
 * The changes in a worktree since its base commit: committed, uncommitted and untracked.
 *
 * - `diffAgainst(options)` one unified diff, the numbers of each file, and whether something did not fit.
 *
 * A diff that is too long is cut between files, never within one, so that it can still be read and applied; omitted files
 * stay in the list with `isShown: false`. Binary files are named and counted, not printed.
 */
import { DevflowError } from "@devflow/core/errors";
import { type GitOptions, git, repositoryStatus } from "@devflow/git";
import { newFileDiff } from "./new-file-diff.ts";
import type { Place } from "./worktree-entries.ts";

export interface DiffOptions extends Pick<GitOptions, "env" | "signal"> {
  readonly worktree: string;
  readonly baseCommit: string;
  /** A commit or branch to compare with, instead of the folder itself. */
  readonly tip?: string;
  /** Limit of the diff's text. */
  readonly maxBytes?: number;
  /** Paths that are never shown (the repository's `copy`). */
  readonly withheld?: readonly string[];
}

const fileChanges = ["added", "modified", "deleted", "renamed", "copied", "type changed", "untracked"] as const;
export type FileChange = (typeof fileChanges)[number];

export interface ChangedFile {
  readonly path: string;
  /** Where a renamed or copied file came from. */
  readonly from?: string;
  readonly change: FileChange;
  /** Lines; 0 for a binary file. */
  readonly added: number;
  readonly removed: number;
  readonly isBinary: boolean;
  readonly isShown: boolean;
}

export interface WorktreeDiff {
  readonly diff: string;
  readonly files: readonly ChangedFile[];
  readonly added: number;
  readonly removed: number;
  readonly truncated: boolean;
}

type Listed = Omit<ChangedFile, "isShown">;

export async function diffAgainst(options: DiffOptions): Promise<WorktreeDiff> {
  const { worktree, baseCommit, tip, maxBytes = 2 * 1024 * 1024, withheld = [], ...rest } = options;
  const revisions = tip === undefined ? [baseCommit] : [baseCommit, tip];
  const place: Place = { ...rest, cwd: worktree };
  const isWithheld = (path: string) => withheld.some((name) => path === name || path.startsWith(`${name}/`));
  const listed = (await listChanges(place, revisions)).filter(({ path }) => !isWithheld(path));
  const shown = new Map<string, string>();
  const budget = { left: maxBytes };
  // In batches: thousands of paths do not fit on one command line.
  for (let start = 0; start < listed.length; start += 500) {
    await showTracked(listed.slice(start, start + 500), { place, revisions, budget, shown });
  }

  const files: ChangedFile[] = listed.map((file) => ({ ...file, isShown: shown.has(file.path) }));
  const parts = [...new Set(listed.flatMap(({ path }) => shown.get(path) ?? []))];
  const known = new Set(listed.map(({ path }) => path));
  const uncommitted = tip === undefined ? (await repositoryStatus(place)).changes : [];
  for (const { path, index } of uncommitted) {
    if (index !== "?" || isWithheld(path) || known.has(path)) continue;
    const { text, lines, isBinary } = await newFileDiff(worktree, path, budget.left);
    files.push({ path, change: "untracked", added: lines, removed: 0, isBinary, isShown: text !== undefined });
    if (text === undefined) continue;
    budget.left -= Buffer.byteLength(text);
    parts.push(text);
  }
  const sum = (pick: (file: ChangedFile) => number) => files.reduce((total, file) => total + pick(file), 0);
  return {
    diff: parts.join(""),
    files,
    added: sum((file) => file.added),
    removed: sum((file) => file.removed),
    truncated: files.some((file) => !file.isShown),
  };
}

/** Overrides the user's settings that would change the format of a diff. */
const plain = ["--no-color", "--find-renames", "--no-relative", "-O/dev/null", "--submodule=short"];
const plainText = ["--patch", "--unified=3", "--inter-hunk-context=0", "--src-prefix=a/", "--dst-prefix=b/"];

interface Showing {
  readonly place: Place;
  readonly revisions: readonly string[];
  readonly budget: { left: number };
  readonly shown: Map<string, string>;
}

/** All at once if they fit, otherwise by halves: only a file that is too long by itself is omitted. */
async function showTracked(files: readonly Listed[], showing: Showing): Promise<void> {
  if (files.length === 0 || showing.budget.left <= 0) return;
  const text = await diffText(files, showing);
  if (text !== undefined) {
    showing.budget.left -= Buffer.byteLength(text);
    for (const { path } of files) showing.shown.set(path, text);
    return;
  }
  if (files.length === 1) return;
  const middle = Math.ceil(files.length / 2);
  await showTracked(files.slice(0, middle), showing);
  await showTracked(files.slice(middle), showing);
}

async function diffText(files: readonly Listed[], { place, revisions, budget }: Showing): Promise<string | undefined> {
  const paths = files.flatMap(({ path, from }) => (from === undefined ? [path] : [from, path]));
  try {
    const words = { ...place, revisions, paths, maxOutput: budget.left };
    return (await git(["diff", ...plain, ...plainText], words)).stdout;
  } catch (error) {
    if (error instanceof DevflowError && /output exceeded the limit/.test(String(error.details.reason)))
      return undefined;
    throw error;
  }
}

async function listChanges(place: Place, revisions: readonly string[]): Promise<Listed[]> {
  const words = { ...place, revisions };
  const names = await git(["diff", ...plain, "--name-status", "-z"], words);
  const numbers = parseNumbers((await git(["diff", ...plain, "--numstat", "-z"], words)).stdout);
  return parseNames(names.stdout).map((file) => {
    const found = numbers.get(file.path) ?? { added: 0, removed: 0, isBinary: false };
    return { ...file, ...found };
  });
}

const changesByLetter: Readonly<Record<string, FileChange>> = {
  A: "added",
  M: "modified",
  D: "deleted",
  R: "renamed",
  C: "copied",
  T: "type changed",
};

function parseNames(text: string): Pick<Listed, "path" | "from" | "change">[] {
  const words = text.split("\0");
  const files: Pick<Listed, "path" | "from" | "change">[] = [];
  for (let index = 0; index < words.length - 1; ) {
    const letter = words[index]?.[0] ?? "";
    const change = changesByLetter[letter] ?? "modified";
    const isPair = letter === "R" || letter === "C";
    const first = words[index + 1] ?? "";
    files.push(isPair ? { path: words[index + 2] ?? "", from: first, change } : { path: first, change });
    index += isPair ? 3 : 2;
  }
  return files;
}

function parseNumbers(text: string): Map<string, Pick<Listed, "added" | "removed" | "isBinary">> {
  const words = text.split("\0");
  const numbers = new Map<string, Pick<Listed, "added" | "removed" | "isBinary">>();
  for (let index = 0; index < words.length - 1; index++) {
    const [, added = "", removed = "", path = ""] = /^(\d+|-)\t(\d+|-)\t(.*)$/s.exec(words[index] ?? "") ?? [];
    const isBinary = added === "-";
    // Without a path here, the old and the new one follow.
    const name = path === "" ? (words[index + 2] ?? "") : path;
    if (path === "") index += 2;
    numbers.set(name, { added: isBinary ? 0 : Number(added), removed: isBinary ? 0 : Number(removed), isBinary });
  }
  return numbers;
}
