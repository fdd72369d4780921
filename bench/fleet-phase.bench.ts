import { planPhase, smallTemplate } from "@devflow/runs/testing";
import { defineBenchmark, ratioGoal } from "./benchmark.ts";
import { inline, prepareBoth, temporal } from "./fleet/both-engines.ts";

const delayMs = 20;

export default defineBenchmark({
  name: "fleet-phase",
  what: "Overhead per phase with a fake agent on both engines, without the agent's own delay, in a run of eight; the Temporal server with SQLite is on the same machine.",
  unit: "ms",
  rounds: 10,
  warmUp: 2,
  goals: [ratioGoal("at most 4 times the inline engine", temporal, inline, 4)],
  prepare: async () => {
    const { engines, finish } = await prepareBoth(20);
    const phases = Array.from({ length: 8 }, (_, index) => ({
      ...planPhase,
      key: `plan_${index}`,
      expectedArtifact: { path: `plan-${index}.json`, schema: "dev/phase-plan@1" },
    }));
    const contenders = [];
    for (const { name, local } of engines) {
      const template = await local.addTemplate(smallTemplate("eight", phases));
      const sample = async () => {
        const runId = await local.run(template, delayMs);
        const rows = await local.database.asEngine(
          (tx) => tx<{ ms: number }[]>`
            select extract(epoch from ended_at - started_at)::float8 * 1000 as ms from app.run_phases
            where run_id = ${runId} and seq > 1 order by seq`,
        );
        return rows.map(({ ms }) => ms - delayMs);
      };
      contenders.push({ name, sample });
    }
    return { contenders, finish };
  },
});
