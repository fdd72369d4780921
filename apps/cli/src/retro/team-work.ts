/**
 * What the team pushed about this repository in a span of time, from the team cache.
 *
 * - `teamWork(context, span)` undefined without a team. No network: it is as old as the last `devflow sync pull`.
 */
import type { CommandContext } from "@devflow/core/command";
import type { RecordRow } from "@devflow/protocol";
import { cacheFolder, readMeta, readRows } from "@devflow/team/cache";
import { findPlace } from "../sync/place.ts";

export interface TeamWork {
  readonly name: string;
  readonly pulled_at: string | null;
  readonly ships: number;
  readonly eval_runs: number;
  /** Passed, of those that passed or failed. */
  readonly evals: { readonly passed: number; readonly of: number };
  readonly qa: { readonly reports: number; readonly newest_score: number | null };
  readonly reviews: { readonly findings: number; readonly false_alarms: number };
}

export async function teamWork(
  context: CommandContext,
  { sinceMs, untilMs }: { readonly sinceMs: number; readonly untilMs: number },
): Promise<TeamWork | undefined> {
  const place = await findPlace(context);
  if (!place) return undefined;
  const folder = cacheFolder(context.config().home, { ...place.to, repo: place.repo });
  const rows = async (kind: string) =>
    (await readRows(folder, kind)).filter(({ at }) => Date.parse(at) > sinceMs && Date.parse(at) <= untilMs);
  const [ships, evals, qa, triage] = await Promise.all(
    ["ship_log", "eval_run", "qa_report", "review_triage"].map(rows),
  );
  const totals = (evals ?? []).map((row) => ({
    passed: numberAt(row, "run", "totals", "passed"),
    failed: numberAt(row, "run", "totals", "failed"),
  }));
  const passed = totals.reduce((sum, one) => sum + (one.passed ?? 0), 0);
  const scores = (qa ?? []).flatMap((row) => numberAt(row, "health_score") ?? []);
  return {
    name: place.team.name,
    pulled_at: (await readMeta(folder))?.pulledAt ?? null,
    ships: ships?.length ?? 0,
    eval_runs: totals.length,
    evals: { passed, of: totals.reduce((sum, one) => sum + (one.failed ?? 0), passed) },
    qa: { reports: qa?.length ?? 0, newest_score: scores[0] ?? null },
    reviews: {
      findings: triage?.length ?? 0,
      false_alarms: (triage ?? []).filter(({ payload }) => (payload as { outcome?: unknown } | null)?.outcome === "fp")
        .length,
    },
  };
}

/** Payloads come from teammates: a member of another form counts as nothing. */
function numberAt({ payload }: RecordRow, ...path: string[]): number | undefined {
  let value: unknown = payload;
  for (const step of path) value = (value as Record<string, unknown> | null | undefined)?.[step];
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}
