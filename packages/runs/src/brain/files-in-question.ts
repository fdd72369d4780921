/**
 * The files that a phase is about, as far as that can be told before it begins: those that the run changed, those that findings name, and
 * those that the requirements or earlier artifacts mention.
 *
 * - `filesInQuestion(context, snapshot)` at most 60 paths that are in the worktree.
 * - `pathsIn(text)` what looks like a path in a text. Pure.
 */
import { git } from "@devflow/git";
import type { EngineContext } from "../engine/context.ts";
import type { Snapshot } from "../engine/snapshot.ts";

const mostPaths = 60;
const mostMentioned = 300;
const mostText = 200_000;

export async function filesInQuestion(
  { database, env }: Pick<EngineContext, "database" | "env">,
  { run, requirements, findings }: Pick<Snapshot, "run" | "requirements" | "findings">,
  signal: AbortSignal,
): Promise<string[]> {
  const place = { cwd: run.worktree_root, env, signal };
  const [written] = await database.asEngine(
    (tx) => tx<{ text: string | null }[]>`
      select left(string_agg(a.content, E'\n' order by a.created_at desc), ${mostText}) as text
      from app.artifacts a where a.run_id = ${run.id} and a.valid`,
  );
  const mentioned = [
    ...findings.flatMap(({ file_path: file }) => file ?? []),
    ...pathsIn(requirements.slice(0, mostText)),
    ...pathsIn(written?.text ?? ""),
  ];
  const paths = [...new Set(mentioned)].slice(0, mostMentioned);
  const changed = await git(["diff", "--name-only", "--no-renames", "-z"], { ...place, revisions: [run.base_commit] });
  const known = paths.length === 0 ? undefined : await git(["ls-files", "-z"], { ...place, paths });
  const found = [changed.stdout, known?.stdout ?? ""].flatMap((names) => names.split("\0"));
  return [...new Set(found)].filter(Boolean).slice(0, mostPaths);
}

export function pathsIn(text: string): string[] {
  const words = text.match(/(?:[\w@.-]+\/)*[\w@-][\w@.-]*\.\w{1,10}\b|(?:[\w@.-]+\/)+[\w@.-]+/g) ?? [];
  return [...new Set(words)]
    .filter((word) => word.length <= 200 && !word.split("/").includes(".."))
    .slice(0, mostMentioned);
}
