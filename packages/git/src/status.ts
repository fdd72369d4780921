/**
 * The changes in a worktree.
 *
 * - `repositoryStatus(options)` branch, head, distance to the upstream and every changed path.
 * - `parseStatus(text)` the same from the text of `git status --porcelain=v2 --branch -z`.
 */
import { DevflowError } from "@devflow/core/errors";
import { type GitOptions, git } from "./git.ts";

export interface ChangedPath {
  readonly path: string;
  /** One letter for the index and one for the worktree, as git has them: `M`, `A`, `D`, `R`, `.` …; `?` is untracked. */
  readonly index: string;
  readonly worktree: string;
  /** Where a renamed or copied file came from. */
  readonly from?: string;
  readonly isConflict: boolean;
}

export interface RepositoryStatus {
  /** Undefined when detached. */
  readonly branch: string | undefined;
  /** Undefined before the first commit. */
  readonly head: string | undefined;
  readonly upstream: string | undefined;
  readonly ahead: number;
  readonly behind: number;
  readonly changes: readonly ChangedPath[];
}

export async function repositoryStatus(place: Pick<GitOptions, "cwd" | "env" | "signal">): Promise<RepositoryStatus> {
  const { stdout } = await git(["status", "--porcelain=v2", "--branch", "-z", "--untracked-files=all"], place);
  return parseStatus(stdout);
}

function parseStatus(text: string): RepositoryStatus {
  const records = text.split("\0");
  const headers = new Map<string, string>();
  const changes: ChangedPath[] = [];
  for (let index = 0; index < records.length; index++) {
    const record = records[index] ?? "";
    if (record === "") continue;
    if (record.startsWith("# ")) {
      const [, name = "", value = ""] = /^# (\S+) (.*)$/s.exec(record) ?? [];
      headers.set(name, value);
      continue;
    }
    changes.push(parseChange(record, records[index + 1]));
    // A rename is followed by a separate record with the old path.
    if (record.startsWith("2 ")) index += 1;
  }
  const [, ahead = "0", behind = "0"] = /^\+(\d+) -(\d+)$/.exec(headers.get("branch.ab") ?? "") ?? [];
  const branch = headers.get("branch.head");
  const head = headers.get("branch.oid");
  return {
    branch: branch === "(detached)" ? undefined : branch,
    head: head === "(initial)" ? undefined : head,
    upstream: headers.get("branch.upstream"),
    ahead: Number(ahead),
    behind: Number(behind),
    changes,
  };
}

/** How many words precede the path, by the kind of record. */
const wordsBeforePath: Readonly<Record<string, number>> = { "1": 8, "2": 9, u: 10, "?": 1, "!": 1 };

function parseChange(record: string, next: string | undefined): ChangedPath {
  const kind = record[0] ?? "";
  const count = wordsBeforePath[kind];
  if (count === undefined) {
    const problem = `git status printed a record of an unknown kind (${JSON.stringify(kind)})`;
    throw new DevflowError("internal_state_corruption", { details: { problem } });
  }
  const words = record.split(" ");
  const path = words.slice(count).join(" ");
  const letters = kind === "?" || kind === "!" ? `${kind}${kind}` : (words[1] ?? "..");
  return {
    path,
    index: letters[0] ?? ".",
    worktree: letters[1] ?? ".",
    ...(kind === "2" && next !== undefined ? { from: next } : {}),
    isConflict: kind === "u",
  };
}
