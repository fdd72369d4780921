/** What a run used, as its agents report it, phase by phase. An unknown price makes the sum unknown. */
import type { RunCost } from "@devflow/protocol";
import type { Reader } from "./reader.ts";

export async function runCost({ database, claims }: Reader, runId: string): Promise<RunCost | undefined> {
  const [row] = await database.withClaims(
    claims,
    (tx) => tx<{ phases: RunCost["phases"] }[]>`
      select (select coalesce(jsonb_agg(jsonb_build_object('phase', p.phase_key, 'usd', u.usd, 'inputTokens', u.input,
          'outputTokens', u.output, 'cacheReadTokens', u.cache_read, 'cacheWriteTokens', u.cache_write) order by p.seq), '[]')
        from (select g.phase_id, case when count(*) = count(g.cost_usd) then sum(g.cost_usd) end as usd,
            sum(g.input_tokens) as input, sum(g.output_tokens) as output, sum(g.cache_read_tokens) as cache_read,
            sum(g.cache_write_tokens) as cache_write
          from app.run_usage g where g.run_id = r.id group by g.phase_id) u
        left join app.run_phases p on p.id = u.phase_id) as phases
      from app.runs r where r.id = ${runId}`,
  );
  if (!row) return undefined;
  const { phases } = row;
  const sum = (pick: (phase: RunCost["phases"][number]) => number) =>
    phases.reduce((total, phase) => total + pick(phase), 0);
  const isKnown = phases.length > 0 && phases.every((phase) => phase.usd !== null);
  return {
    usd: isKnown ? sum((phase) => phase.usd ?? 0) : null,
    inputTokens: sum((phase) => phase.inputTokens),
    outputTokens: sum((phase) => phase.outputTokens),
    cacheReadTokens: sum((phase) => phase.cacheReadTokens),
    cacheWriteTokens: sum((phase) => phase.cacheWriteTokens),
    phases,
  };
}
