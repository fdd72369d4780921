/** `devflow eval rejudge`: judges stored outputs again and stores the result as a separate run. */
import { hostname } from "node:os";
import type { HandlerOf } from "@devflow/core/command";
import type { EvalResult } from "@devflow/evals";
import { loadSuite } from "@devflow/evals/cases";
import { rejudgeRun } from "@devflow/evals/check";
import { painter } from "../paint.ts";
import type { FindTeam } from "../team/team.ts";
import type { evalRejudgeRecord } from "./check-commands.ts";
import { exitOf, reportRun } from "./check-report.ts";
import { judgeSettings } from "./judge-settings.ts";
import { keepRun } from "./keep-run.ts";
import { liveLines } from "./live-lines.ts";
import { withStore } from "./with-store.ts";
import { bar, plural, shortRun } from "./words.ts";

export const rejudgeWith =
  (findTeam: FindTeam): HandlerOf<typeof evalRejudgeRecord> =>
  async (input, context) => {
    const { output } = context;
    const stored = await withStore(context, async (store) => {
      const { record } = await store.run(input.run);
      const results: EvalResult[] = [];
      for await (const block of store.allResults(`${record.run.suite}/${record.run.runId}`)) results.push(...block);
      return { run: record.run, results };
    });
    const suite =
      input.cases.length > 0
        ? await loadSuite({ patterns: input.cases, root: context.cwd, suite: stored.run.suite })
        : undefined;
    const isFullRun = input.full || stored.run.tier === "full";
    const judge = await judgeSettings({ ...input, isFullRun, caseFiles: suite?.files ?? [] }, context);
    const live = output.isTerminal && !output.json ? liveLines(output) : undefined;
    const paint = painter(context);
    const run = await rejudgeRun(stored, {
      judge,
      profile: input.profile,
      cases: suite?.cases,
      host: hostname() || null,
      signal: context.signal,
      onProgress(done, total) {
        const parts = [
          { count: done, colour: "cyan", mark: "█" },
          { count: total - done, colour: "dim", mark: "·" },
        ] as const;
        live?.draw([`${bar(parts, 30, paint)}  ${done}/${total} judged`]);
      },
    });
    const kept = await keepRun(run, { ...input, findTeam }, context);
    const changed = changes(stored.results, run.all_results);
    const isSame = sameJudges(stored.run.judges, run.judges);
    const notes = [
      `${plural(changed, "verdict")} of ${stored.results.length} changed since ${shortRun(stored.run.runId)}.`,
      ...(isSame ? ["The judges are the same as before, so eval compare counts these outputs once."] : []),
    ];
    reportRun({ run, warnings: [] }, kept, context, { notes, wipe: live?.wipe() ?? "" });
    return exitOf(run);
  };

function changes(before: readonly { status: string }[], now: readonly { status: string }[]): number {
  return before.filter(({ status }, index) => status !== now[index]?.status).length;
}

function sameJudges(
  before: readonly { model: string; rubricSha: string | null; threshold: number | null }[],
  now: readonly { model: string; rubric_sha: string | null; threshold: number | null }[],
): boolean {
  const a = before.map(({ model, rubricSha, threshold }) => `${model} ${rubricSha} ${threshold}`).sort();
  const b = now.map(({ model, rubric_sha, threshold }) => `${model} ${rubric_sha} ${threshold}`).sort();
  return a.length > 0 && a.join("\n") === b.join("\n");
}
