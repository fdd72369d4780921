import { planPhase, smallTemplate, workPhase } from "@devflow/runs/testing";
import { defineBenchmark, limitGoal } from "./benchmark.ts";
import { prepareEngine } from "./local-engine.ts";

const ours = "50 lanes";
const single = "50 runs";

/** Every lane writes a file of its own, so that nothing conflicts. */
const tasks = Array.from({ length: 50 }, (_, at) => ({
  ...{ id: `t${at}`, title: `Task ${at}`, dependsOn: [], writeSet: [`t${at}.txt`] },
}));
const work = Object.fromEntries(tasks.map(({ id }) => [id, { implement: { files: { [`${id}.txt`]: `${id}\n` } } }]));

export default defineBenchmark({
  name: "lanes50",
  what: "One run with 50 lanes (one work phase each, 16 at a time), all merged into one branch; beside it 50 runs with the same phase, 16 at a time.",
  unit: "ms",
  rounds: 1,
  warmUp: 0,
  goals: [limitGoal("at most 120 s", ours, 120_000, "ms")],
  prepare: async ({ say }) => {
    const local = await prepareEngine({ atOnce: 16 });
    const lane = await local.addTemplate(smallTemplate("bench-lane", [workPhase]));
    const cut = { ...planPhase, expectedArtifact: { path: "tasks.json", schema: "dev/dag@2" } };
    const lanes = { key: "lanes", kind: "lanes", title: "Lanes", risk: "low" } as const;
    const whole = await local.addTemplate(
      smallTemplate("bench-lanes", [cut, { ...lanes, lanes: { from: "plan", template: lane, most: 16 } }]),
    );
    const timed = async (work: () => Promise<unknown>) => {
      const started = Bun.nanoseconds();
      await work();
      return [(Bun.nanoseconds() - started) / 1e6];
    };
    return {
      contenders: [
        {
          name: ours,
          sample: async () => {
            const time = await timed(() => local.run(whole, 0, { plan: { artifact: { tasks } } }, work));
            const rows = await local.database.asEngine(
              (tx) =>
                tx<{ state: string; n: number }[]>`select state, count(*)::int as n from app.run_tasks group by 1`,
            );
            say(rows.map(({ state, n }) => `${n} ${state}`).join(", "));
            return time;
          },
        },
        {
          name: single,
          sample: () =>
            timed(async () => {
              let left = 50;
              const worker = async () => {
                while (left-- > 0) await local.run(lane);
              };
              await Promise.all(Array.from({ length: 16 }, worker));
            }),
        },
      ],
      finish: () => local.finish(),
    };
  },
});
