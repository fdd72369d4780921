/**
 * The lines of a run's files as people see them: without secrets.
 *
 * - `workLines(context, run)` a reader; `lines(file, side)` the lines, undefined when there is no such text on that side;
 *   `commit()` the commit that the work stands on now. Each file is read once.
 */
import { git } from "@devflow/git";
import type { diffSides } from "@devflow/protocol";
import { redactSecrets } from "@devflow/redact";
import { isTextType, mediaTypeOf } from "../attachments/media-type.ts";
import { changedFile, type NamedFile } from "../care/changed-file.ts";
import { type RunPlace, workOf } from "../care/run-diff.ts";
import type { EngineContext } from "../engine/context.ts";
import { diffBase, type RunRow } from "../engine/rows.ts";
import { knownSecrets } from "../engine/run-secrets.ts";

export type DiffSide = (typeof diffSides)[number];

export interface WorkLines {
  lines(file: NamedFile, side: DiffSide): Promise<readonly string[] | undefined>;
  commit(): Promise<string>;
}

const mostBytes = 4 * 1024 * 1024;

export function workLines({ env }: Pick<EngineContext, "env">, run: RunPlace): WorkLines {
  const read = new Map<string, Promise<readonly string[] | undefined>>();
  let known: Promise<string[]> | undefined;
  const secrets = () => {
    known ??= knownSecrets(
      { env },
      { repo_path: run.repository, base_commit: run.baseCommit, worktree_root: run.worktree },
    );
    return known;
  };
  const readLines = async (file: NamedFile, side: DiffSide) => {
    const bytes = await changedFile({ env }, run, file, side === "old" ? "before" : "after", mostBytes);
    if (!bytes || (bytes.length > 0 && !isTextType(mediaTypeOf(bytes)))) return undefined;
    const { text } = redactSecrets(bytes.toString("utf8"), { known: await secrets(), keepLines: true });
    const lines = text.split("\n").map((line) => line.replace(/\r$/, ""));
    if (lines.at(-1) === "") lines.pop();
    return lines;
  };
  return {
    lines(file, side) {
      const key = `${side} ${file.path}`;
      const lines = read.get(key) ?? readLines(file, side);
      read.set(key, lines);
      return lines;
    },
    async commit() {
      const place = await workOf(run, env);
      if (!place) return run.diffBase;
      const revision = place.tip ?? "HEAD";
      const { stdout } = await git(["rev-parse", "--verify"], { cwd: place.worktree, env, revisions: [revision] });
      return stdout.trim();
    },
  };
}

export const placeOfRun = (
  run: Pick<RunRow, "repo_path" | "worktree_root" | "branch" | "base_commit" | "lane_base">,
): RunPlace => ({
  repository: run.repo_path,
  worktree: run.worktree_root,
  branch: run.branch,
  baseCommit: run.base_commit,
  diffBase: diffBase(run),
});
