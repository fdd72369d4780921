import { planPhase, smallTemplate, workPhase } from "@devflow/runs/testing";
import { defineBenchmark } from "./benchmark.ts";
import { prepareBoth, temporal } from "./fleet/both-engines.ts";

export default defineBenchmark({
  name: "fleet-decision",
  what: "From a person's approval to the start of the next phase, on both engines.",
  unit: "ms",
  rounds: 30,
  warmUp: 3,
  goals: [
    {
      text: "on Temporal at most 250 ms, 95th percentile",
      judge: (of) => ({ figure: `${of(temporal).p95.toFixed(0)} ms`, met: of(temporal).p95 <= 250 }),
    },
  ],
  prepare: async () => {
    const { engines, finish } = await prepareBoth(20);
    const contenders = [];
    for (const { name, local } of engines) {
      const template = await local.addTemplate(
        smallTemplate("decided", [{ ...planPhase, gates: ["plan_approved"] }, workPhase]),
      );
      const sample = async () => {
        const runId = await local.run(template, 1);
        const [row] = await local.database.asEngine(
          (tx) => tx<{ ms: number }[]>`
            select extract(epoch from p.started_at - d.decided_at)::float8 * 1000 as ms
            from app.run_phases p join app.approval_requests a on a.run_id = p.run_id
            join app.approval_decisions d on d.approval_request_id = a.id
            where p.run_id = ${runId} and p.phase_key = 'implement'`,
        );
        return [row?.ms ?? Number.NaN];
      };
      contenders.push({ name, sample });
    }
    return { contenders, finish };
  },
});
