/**
 * The worktrees of a repository, as git lists them.
 *
 * - `worktreeEntries(place)` one entry for each, the main one first.
 */
import { type GitOptions, git } from "@devflow/git";

export type Place = Pick<GitOptions, "cwd" | "env" | "signal">;

export interface WorktreeEntry {
  readonly path: string;
  /** The short name; undefined when detached or bare. */
  readonly branch: string | undefined;
  readonly head: string | undefined;
  readonly isBare: boolean;
  /** Why it is locked; undefined when it is not. */
  readonly lockedFor: string | undefined;
  /** Git would remove it at the next prune: its folder is gone. */
  readonly isPrunable: boolean;
}

export async function worktreeEntries(place: Place): Promise<WorktreeEntry[]> {
  const { stdout } = await git(["worktree", "list", "--porcelain", "-z"], place);
  return parseEntries(stdout);
}

function parseEntries(text: string): WorktreeEntry[] {
  return text
    .split("\0\0")
    .filter((record) => record !== "")
    .map((record) => {
      const fields = new Map(record.split("\0").map(nameAndValue));
      return {
        path: fields.get("worktree") ?? "",
        branch: fields.get("branch")?.replace(/^refs\/heads\//, ""),
        head: fields.get("HEAD"),
        isBare: fields.has("bare"),
        lockedFor: fields.get("locked"),
        isPrunable: fields.has("prunable"),
      };
    });
}

function nameAndValue(line: string): [string, string] {
  const space = line.indexOf(" ");
  return space < 0 ? [line, ""] : [line.slice(0, space), line.slice(space + 1)];
}
