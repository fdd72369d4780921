/**
 * The commit history that evals need from git.
 *
 * - `openCommits(context)` undefined outside a repository or without git; runs are then compared by time.
 * - `older(newer, base)` the commits that a baseline may come from; `line()` the first parents of HEAD, oldest first.
 */
import type { CommandContext } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { shortLine } from "@devflow/core/plain-text";
import type { AncestryCommit } from "@devflow/evals/compare";
import type { CommitNote } from "@devflow/evals/store";
import { currentBranch, type GitOptions, git, repositoryRoot } from "@devflow/git";

/** Recorded with each run: enough to reach the run before it, at a few kilobytes. */
const notedCommits = 50;
/** How far back to look for a baseline. */
const mostCommits = 5000;

export interface Commits {
  readonly root: string;
  head(): Promise<string | null>;
  branch(): Promise<string | null>;
  /** The commit that a revision names, or null. */
  commitOf(word: string): Promise<string | null>;
  /** The commit where the branch of `newer` started and all its ancestors, nearest first. */
  older(newer: string, base?: string): Promise<readonly string[]>;
  ancestors(sha: string): Promise<readonly string[]>;
  distance(from: string, to: string): Promise<number>;
  line(tip?: string): Promise<readonly AncestryCommit[]>;
  about(sha: string): Promise<AncestryCommit | null>;
  /** The commit and those before it, newest first, for the record of a run; empty if it is not in this repository. */
  notes(sha: string): Promise<readonly CommitNote[]>;
  /** Whether tracked files differ from HEAD. */
  isChanged(): Promise<boolean>;
  isShallow(): Promise<boolean>;
  userName(): Promise<string | null>;
}

export async function openCommits(
  context: Pick<CommandContext, "cwd" | "env" | "signal">,
): Promise<Commits | undefined> {
  const place = { cwd: context.cwd, signal: context.signal };
  const root = await repositoryRoot(place).catch((error: unknown) => {
    if (error instanceof DevflowError && error.code === "git_missing") return undefined;
    throw error;
  });
  return root === undefined ? undefined : commitsIn(root, place, context.env.GITHUB_BASE_REF);
}

function commitsIn(root: string, place: GitOptions, baseOfPullRequest: string | undefined): Commits {
  const words = async (args: Parameters<typeof git>[0], revisions: readonly string[] = []) => {
    const { stdout } = await git(args, { ...place, revisions });
    return stdout.split("\n").filter(Boolean);
  };
  const commitOf = async (word: string): Promise<string | null> => {
    if (word === "" || word.startsWith("-") || word.includes("\0")) return null;
    const { stdout, exit } = await git(["rev-parse", "--verify", "--quiet"], {
      ...place,
      revisions: [`${word}^{commit}`],
      answers: [1, 128],
    });
    return exit === 0 ? stdout.trim() : null;
  };
  const ancestors = (sha: string) => words(["rev-list", `--max-count=${mostCommits}`], [sha]);
  const logged = async (extra: readonly string[], tip: string): Promise<AncestryCommit[]> => {
    const lines = await words(["log", ...extra, "--no-show-signature", "--format=%H%x1f%an%x1f%cI%x1f%s"], [tip]);
    return lines.map((line) => {
      const [sha = "", author = "", at = "", subject = ""] = line.split("\u001f");
      return { sha, author, at: at === "" ? null : new Date(at).toISOString(), subject };
    });
  };
  return {
    root,
    head: () => commitOf("HEAD"),
    branch: async () => (await currentBranch(place)) ?? null,
    commitOf,
    ancestors,
    older: async (newer, base) => {
      const trunk = await firstKnown(
        [base, baseOfPullRequest && `origin/${baseOfPullRequest}`, "origin/HEAD", "main", "master", "origin/main"],
        commitOf,
      );
      const { stdout } = trunk
        ? await git(["merge-base"], { ...place, revisions: [newer, trunk], answers: [1] })
        : { stdout: "" };
      const meeting = stdout.trim();
      const from = meeting === "" || meeting === newer ? newer : meeting;
      return (await ancestors(from)).filter((sha) => sha !== newer);
    },
    distance: async (from, to) => Number((await words(["rev-list", "--count"], [`${from}..${to}`]))[0] ?? 0),
    line: (tip = "HEAD") => logged(["--first-parent", "--reverse", `--max-count=${mostCommits}`], tip),
    about: async (sha) => ((await commitOf(sha)) ? ((await logged(["--max-count=1"], sha))[0] ?? null) : null),
    notes: async (sha) => {
      if (!(await commitOf(sha))) return [];
      const format = "--format=%H%x1f%P%x1f%an%x1f%cI%x1f%s";
      const lines = await words(["log", `--max-count=${notedCommits}`, "--no-show-signature", format], [sha]);
      return lines.map((line) => {
        const [own = "", parents = "", author = "", at = "", subject = ""] = line.split("\u001f");
        return {
          sha: own,
          parents: parents.split(" ").filter(Boolean),
          author: shortLine(author, 80),
          at: at === "" ? null : new Date(at).toISOString(),
          subject: shortLine(subject, 120),
        };
      });
    },
    isChanged: async () => {
      const { stdout } = await git(["status", "--porcelain", "--untracked-files=no"], place);
      return stdout.trim() !== "";
    },
    isShallow: async () => (await words(["rev-parse", "--is-shallow-repository"]))[0] === "true",
    userName: async () => {
      const { stdout } = await git(["config", "--get", "user.name"], { ...place, answers: [1] });
      return stdout.trim() || null;
    },
  };
}

async function firstKnown(
  names: readonly (string | undefined)[],
  commitOf: (word: string) => Promise<string | null>,
): Promise<string | null> {
  for (const name of names) {
    const found = name ? await commitOf(name) : null;
    if (found) return found;
  }
  return null;
}
