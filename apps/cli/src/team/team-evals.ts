/**
 * Evals of a team: pushed runs go to the spool, teammates' runs come from the team cache.
 *
 * - `teamEvals(place, context)` what the eval commands need. A run whose record cannot be written stays stored on this machine, and the
 *   person is told how to send it later.
 */
import type { CommandContext } from "@devflow/core/command";
import { homeAt } from "@devflow/core/home";
import { blankResult } from "@devflow/evals";
import { checkedRecord, type ResultSink } from "@devflow/evals/store";
import type { EvalTeam, TeamEvalRun } from "@devflow/evals/team";
import type { RecordRow } from "@devflow/protocol";
import { cacheFolder, readMeta, readResults, readRows } from "@devflow/team/cache";
import { type SpoolOutcome, spool } from "@devflow/team/spool";
import { wakeDrainer } from "../sync/drain-ports.ts";
import type { TeamPlace } from "../sync/place.ts";
import { spoolFailed } from "../sync/spool-failed.ts";

export async function teamEvals(place: TeamPlace, context: CommandContext): Promise<EvalTeam> {
  const { home: root, syncEnabled } = context.config();
  const home = homeAt(root);
  const { to, repo, team } = place;
  const folder = cacheFolder(root, { ...to, repo });
  const ids = new Map<string, string>();
  let wasTold = false;
  let isAwake = false;
  const tell = (outcome: SpoolOutcome) => {
    if (outcome.spooled || wasTold) return;
    wasTold = true;
    context.output.note(
      `Not queued for ${team.name}: ${spoolFailed(home, outcome).message} The run is stored here; push it again later.`,
    );
  };
  const sink: ResultSink = {
    async accept(record) {
      if (record.kind === "eval_run") {
        const { suite, runId } = record.record.run;
        ids.set(`${suite}\n${runId}`, record.id);
        return tell(await spool(root, { id: record.id, kind: "eval_run", to, repo, payload: record.record }));
      }
      const { id, index, isLast, results, runId, suite } = record;
      const run = ids.get(`${suite}\n${runId}`);
      tell(
        await spool(root, {
          id,
          kind: "eval_results",
          to,
          repo,
          payload: { run, suite, index, last: isLast, results },
        }),
      );
      if (!isLast || !syncEnabled || isAwake) return;
      isAwake = true;
      await wakeDrainer(home, context.env, to);
    },
  };
  const byRun = new WeakMap<object, string>();
  return {
    name: team.name,
    sink,
    cache: {
      pulledAt: (await readMeta(folder))?.pulledAt ?? null,
      async runs({ suite, since }) {
        const runs = (await readRows(folder, "eval_run")).flatMap((row) => teamRun(row, to.user));
        return runs.flatMap(({ id, run }) => {
          if (suite !== undefined && run.run.suite !== suite) return [];
          if (since !== undefined && run.run.at < since) return [];
          byRun.set(run, id);
          return [run];
        });
      },
      async results(run) {
        const found = await readResults(folder, byRun.get(run) ?? "");
        return found.map((result) => ({ ...blankResult, ...result }));
      },
    },
  };
}

/** Payloads come from teammates: one that is no eval run is left out. In rankings only the person themselves is named; the others did not agree to it. */
function teamRun(row: RecordRow, me: string): { id: string; run: TeamEvalRun }[] {
  try {
    const { run, summary } = checkedRecord(row.payload, (reason) => new Error(reason));
    const usd = summary.cost.actualUsd + summary.cost.estimatedUsd;
    return [
      { id: row.id, run: { run, pushedBy: row.user_name, person: row.user_id === me ? row.user_name : null, usd } },
    ];
  } catch {
    return [];
  }
}
