import { defineBenchmark, ratioGoal } from "./benchmark.ts";
import { inline, prepareBoth, temporal } from "./fleet/both-engines.ts";

const amount = 200;

export default defineBenchmark({
  name: "fleet-runs200",
  what: "200 complete runs of development-fake@1, 20 at a time, gates approved immediately, on both engines.",
  unit: "ms",
  rounds: 1,
  warmUp: 0,
  goals: [ratioGoal("all complete; at most 4 times the inline engine", temporal, inline, 4)],
  prepare: async ({ say }) => {
    const { engines, finish } = await prepareBoth(25);
    const contenders = engines.map(({ name, local }) => ({
      name,
      sample: async () => {
        const started = Bun.nanoseconds();
        let left = amount;
        const worker = async () => {
          while (left-- > 0) await local.run();
        };
        await Promise.all(Array.from({ length: 20 }, worker));
        const rows = await local.database.asEngine(
          (tx) => tx<{ state: string; n: number }[]>`select state, count(*)::int as n from app.runs group by 1`,
        );
        say(`${name}: ${rows.map(({ state, n }) => `${n} ${state}`).join(", ")}`);
        return [(Bun.nanoseconds() - started) / 1e6];
      },
    }));
    return { contenders, finish };
  },
});
