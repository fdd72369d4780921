/**
 * The commits of a time span, newest first, from `git log`, which is read as it comes.
 *
 * - `readCommits(place, span, onCommit)` each commit once, with the files it changed. The span is by when it was committed. Merges have no files: their lines came with the
 *   commits they bring in. Moved files are one change.
 * - `readCommitsInHalves` the same for a long span, by two processes of git at once.
 * - `commitParser(onCommit)` the parser alone: `push` text in any portions, `end` when there is no more.
 *
 * A path may contain anything but a zero byte, and so may a message, so zero bytes are all that the parser relies on.
 */
import { StringDecoder } from "node:string_decoder";
import { type GitOptions, git } from "@devflow/git";
import { type ChangedFile, type Commit, type CommitFacts, commitOf } from "./commit.ts";
import { lineKindOf } from "./line-kind.ts";

type Place = Pick<GitOptions, "cwd" | "env" | "signal">;

const fields = ["%H", "%P", "%ad", "%aN", "%aE"];
/** Written before the fields, so that a commit is told from the path of a file. */
const mark = "\u0001commit";
const format = `--format=%x00%x01commit%x00${fields.join("%x00")}%x00%B%x00`;

export interface LogSpan {
  readonly sinceMs: number;
  readonly untilMs?: number;
  readonly revisions: readonly string[];
  /** False: commits alone, which is several times faster. */
  readonly withFiles?: boolean;
}

/** Git compares the files of one commit after the other. Two halves of the time at once take little more than half as long. */
export async function readCommitsInHalves(
  place: Place,
  { untilMs = Date.now(), ...span }: LogSpan,
  onCommit: (commit: Commit) => void,
): Promise<void> {
  // Git counts in seconds, and both ends of a span are part of it.
  const middleMs = Math.floor((span.sinceMs + untilMs) / 2000) * 1000;
  const older: Commit[] = [];
  await Promise.all([
    // Without an end: a clock that is ahead has written commits after now.
    readCommits(place, { ...span, sinceMs: middleMs }, onCommit),
    readCommits(place, { ...span, untilMs: middleMs - 1000 }, (commit) => void older.push(commit)),
  ]);
  for (const commit of older) onCommit(commit);
}

export async function readCommits(place: Place, span: LogSpan, onCommit: (commit: Commit) => void): Promise<void> {
  const parser = commitParser(onCommit);
  const decoder = new StringDecoder("utf8");
  const { sinceMs, untilMs, revisions, withFiles = true } = span;
  const times = [
    `--since=${new Date(sinceMs).toISOString()}`,
    ...(untilMs === undefined ? [] : [`--until=${new Date(untilMs).toISOString()}`]),
  ];
  const files = withFiles ? ["--numstat", "-M", "--root"] : [];
  const shown = ["--date=raw", "--encoding=UTF-8", "--no-color", "--no-notes", "--no-decorate", "--diff-merges=off"];
  await git(["log", "-z", ...files, ...shown, ...times, format], {
    ...place,
    revisions,
    onOutput: (chunk) => parser.push(decoder.write(chunk)),
  });
  parser.push(decoder.end());
  parser.end();
}

export function commitParser(onCommit: (commit: Commit) => void) {
  let rest = "";
  let header: string[] | undefined;
  let facts: CommitFacts | undefined;
  let files: ChangedFile[] = [];
  /** A moved file whose two paths are still to come. */
  let moved: { added: number; deleted: number; from?: string } | undefined;

  function finish() {
    if (facts) onCommit({ ...facts, files });
    facts = undefined;
    files = [];
  }

  function take(token: string) {
    if (moved) {
      if (moved.from === undefined) moved.from = token;
      else {
        files.push({
          path: token,
          from: moved.from,
          added: moved.added,
          deleted: moved.deleted,
          kind: lineKindOf(token),
        });
        moved = undefined;
      }
      return;
    }
    if (header) {
      header.push(token);
      if (header.length <= fields.length) return;
      const [sha = "", parents = "", date = "", name = "", email = "", message = ""] = header;
      facts = commitOf({ sha, parents, date, name, email, message });
      header = undefined;
      return;
    }
    if (token === mark) {
      finish();
      header = [];
      return;
    }
    const [, added = "", deleted = "", path = ""] = /^\n?(\d+|-)\t(\d+|-)\t([\s\S]*)$/.exec(token) ?? [];
    if (added === "") return;
    const lines = { added: Number(added) || 0, deleted: Number(deleted) || 0 };
    if (path === "") moved = lines;
    else files.push({ path, from: undefined, ...lines, kind: lineKindOf(path) });
  }

  return {
    push(text: string) {
      const tokens = (rest + text).split("\0");
      rest = tokens.pop() ?? "";
      for (const token of tokens) take(token);
    },
    end() {
      if (rest !== "") take(rest);
      rest = "";
      finish();
    },
  };
}
