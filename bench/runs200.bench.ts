import { defineBenchmark, limitGoal } from "./benchmark.ts";
import { prepareEngine } from "./local-engine.ts";

const ours = "200 runs";

export default defineBenchmark({
  name: "runs200",
  what: "200 complete runs of development-fake@1 (eight phases, five agents as processes), 20 at a time, gates approved immediately.",
  unit: "ms",
  rounds: 1,
  warmUp: 0,
  goals: [limitGoal("at most 120 s", ours, 120_000, "ms")],
  prepare: async ({ say }) => {
    const local = await prepareEngine({ atOnce: 25 });
    return {
      contenders: [
        {
          name: ours,
          sample: async () => {
            const started = Bun.nanoseconds();
            let left = 200;
            const worker = async () => {
              while (left-- > 0) await local.run();
            };
            await Promise.all(Array.from({ length: 20 }, worker));
            const rows = await local.database.asEngine(
              (tx) => tx<{ state: string; n: number }[]>`select state, count(*)::int as n from app.runs group by 1`,
            );
            say(rows.map(({ state, n }) => `${n} ${state}`).join(", "));
            return [(Bun.nanoseconds() - started) / 1e6];
          },
        },
      ],
      finish: () => local.finish(),
    };
  },
});
