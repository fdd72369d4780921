/**
 * What pages show of a run whose files are on another machine: its diff and its report, as its machine wrote them last.
 *
 * - `keepDiff(context, run)`, `keepReport(context, run, texts)` for a run that another machine may be asked about.
 * - `readRunFile(reader, runId, kind)` on behalf of the caller.
 */
import type { RunDiff } from "@devflow/protocol";
import { runDiff } from "../care/run-diff.ts";
import type { DriverContext } from "../engine/context.ts";
import type { RunRow } from "../engine/rows.ts";
import type { Reader } from "../views/index.ts";

type Kind = "diff" | "report.md" | "report.json";

export async function keepDiff(context: DriverContext, run: RunRow): Promise<void> {
  if (run.remote === null) return;
  const diff: RunDiff = await runDiff(context, {
    repository: run.repo_path,
    worktree: run.worktree_root,
    branch: run.branch,
    baseCommit: run.base_commit,
    diffBase: run.lane_base ?? run.base_commit,
  });
  await keep(context, run, "diff", JSON.stringify(diff));
}

export async function keepReport(
  context: DriverContext,
  run: RunRow,
  { words, text }: { readonly words: string; readonly text: string },
): Promise<void> {
  if (run.remote === null) return;
  await keep(context, run, "report.md", words);
  await keep(context, run, "report.json", text);
}

/** Only for the driver that has the run: an older one may come late. */
async function keep({ database, epoch }: DriverContext, run: RunRow, kind: Kind, content: string): Promise<void> {
  await database.asEngine(
    (tx) => tx`
      insert into app.run_files (run_id, team_id, kind, content)
      select id, team_id, ${kind}, ${content} from app.runs where id = ${run.id} and driver_epoch = ${epoch}
      on conflict (run_id, kind) do update set content = excluded.content, written_at = now()`,
  );
}

export async function readRunFile(
  { database, claims }: Reader,
  runId: string,
  kind: Kind,
): Promise<string | undefined> {
  const [row] = await database.withClaims(
    claims,
    (tx) => tx<{ content: string }[]>`select content from app.run_files where run_id = ${runId} and kind = ${kind}`,
  );
  return row?.content;
}
