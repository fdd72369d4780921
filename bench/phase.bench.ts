import { planPhase, smallTemplate } from "@devflow/runs/testing";
import { defineBenchmark } from "./benchmark.ts";
import { prepareEngine } from "./local-engine.ts";

const ours = "a phase";
const delayMs = 20;

export default defineBenchmark({
  name: "phase",
  what: "Overhead of the engine per phase with a fake agent, without the agent's own delay: from the start to the end of a phase, in a run of eight.",
  unit: "ms",
  rounds: 10,
  warmUp: 2,
  goals: [
    {
      text: "at most 40 ms",
      judge: (of) => ({ figure: `${of(ours).median.toFixed(1)} ms`, met: of(ours).median <= 40 }),
    },
  ],
  prepare: async () => {
    const local = await prepareEngine();
    const phases = Array.from({ length: 8 }, (_, index) => ({
      ...planPhase,
      key: `plan_${index}`,
      expectedArtifact: { path: `plan-${index}.json`, schema: "dev/phase-plan@1" },
    }));
    const template = await local.addTemplate(smallTemplate("eight", phases));
    return {
      contenders: [
        {
          name: ours,
          sample: async () => {
            const runId = await local.run(template, delayMs);
            const rows = await local.database.asEngine(
              (tx) => tx<{ ms: number }[]>`
                select extract(epoch from ended_at - started_at)::float8 * 1000 as ms from app.run_phases
                where run_id = ${runId} and seq > 1 order by seq`,
            );
            // The first phase starts the agent; that is the agent's own time.
            return rows.map(({ ms }) => ms - delayMs);
          },
        },
      ],
      finish: () => local.finish(),
    };
  },
});
