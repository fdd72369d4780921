/**
 * What git knows about a line.
 *
 * - `blameLine(place, file, line)` the commit that last changed it, with its parents, and the line's number and file there; undefined when
 *   git does not know the line. A line that was not committed yet has no commit.
 * - `earlierNames(place, file)` what the file was called before.
 * - `lineHistory(place, file, from, to)` the commits that changed the lines, newest first: what is left when nobody recorded an edit.
 */
import { type GitOptions, git } from "@devflow/git";

type Place = Pick<GitOptions, "cwd" | "env" | "signal">;

export interface BlamedLine {
  /** Null: not committed yet. */
  readonly commit: string | null;
  readonly parents: readonly string[];
  readonly author: string;
  readonly committedAt: string;
  readonly summary: string;
  /** Where the line was in that commit. */
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

export async function blameLine(place: Place, file: string, line: number): Promise<BlamedLine | undefined> {
  const { stdout, exit } = await git(["blame", "--porcelain", "-w", `-L${line},${line}`], {
    ...{ ...place, paths: [file], answers: [128] },
  });
  if (exit !== 0) return undefined;
  const [, commit = "", original = ""] = /^([0-9a-f]{40,64}) (\d+)/.exec(stdout) ?? [];
  const fact = (name: string) => new RegExp(`^${name} (.*)$`, "m").exec(stdout)?.[1] ?? "";
  if (commit === "") return undefined;
  const isCommitted = !/^0+$/.test(commit);
  return {
    commit: isCommitted ? commit : null,
    parents: isCommitted ? await parentsOf(place, commit) : [],
    author: fact("author"),
    committedAt: new Date(Number(fact("committer-time")) * 1000).toISOString(),
    summary: fact("summary"),
    file: fact("filename") || file,
    line: Number(original),
    text: /^\t(.*)$/m.exec(stdout)?.[1] ?? "",
  };
}

async function parentsOf(place: Place, commit: string): Promise<string[]> {
  const { stdout } = await git(["rev-list", "--parents", "-n", "1"], { ...place, revisions: [commit] });
  return stdout.trim().split(" ").slice(1);
}

const mostNames = 10;

export async function earlierNames(place: Place, file: string): Promise<string[]> {
  const args = [
    "log",
    "--follow",
    "--diff-filter=R",
    "--name-only",
    "--format=",
    "-z",
    "-n",
    String(mostNames),
  ] as const;
  const { stdout, exit } = await git(args, { ...place, paths: [file], answers: [128] });
  if (exit !== 0) return [];
  return [...new Set(stdout.split("\0").map((name) => name.trim()))].filter((name) => name !== "" && name !== file);
}

export interface LineCommit {
  readonly commit: string;
  readonly author: string;
  readonly at: string;
  readonly summary: string;
}

export async function lineHistory(place: Place, file: string, from: number, to: number): Promise<LineCommit[]> {
  const args = ["log", "-n", "5", "--no-patch", "--format=%H%x00%an%x00%cI%x00%s", `-L${from},${to}:${file}`] as const;
  const { stdout, exit } = await git(args, { ...place, answers: [128] });
  return exit === 0 ? commitsOf(stdout) : [];
}

export async function fileHistory(place: Place, file: string): Promise<LineCommit[]> {
  const args = ["log", "--follow", "-n", "5", "--format=%H%x00%an%x00%cI%x00%s"] as const;
  const { stdout, exit } = await git(args, { ...place, paths: [file], answers: [128] });
  return exit === 0 ? commitsOf(stdout) : [];
}

function commitsOf(text: string): LineCommit[] {
  return text.split("\n").flatMap((line) => {
    const [commit = "", author = "", at = "", summary = ""] = line.split("\0");
    return commit === "" ? [] : [{ commit, author, at, summary }];
  });
}
