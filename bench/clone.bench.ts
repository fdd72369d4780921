import { testClone } from "@devflow/testkit";
import { defineBenchmark, limitGoal } from "./benchmark.ts";

export default defineBenchmark({
  name: "clone",
  what: "Cloning a migrated database from a template, for a test file.",
  unit: "ms",
  rounds: 20,
  warmUp: 2,
  goals: [limitGoal("half of the clones take at most 80 ms", "clone of the migrated template", 80, "ms")],
  prepare: async () => {
    // Dropped only at the end: dropping forces a checkpoint, which the next clone would wait for. The cluster runs as long as
    // one is left.
    const clones = [await testClone()];
    const timed = (migrated: boolean) => async () => {
      const started = Bun.nanoseconds();
      const clone = await testClone({ migrated });
      const ms = (Bun.nanoseconds() - started) / 1e6;
      clones.push(clone);
      return [ms];
    };
    return {
      contenders: [
        { name: "clone of the migrated template", sample: timed(true) },
        { name: "clone of Postgres' empty template", sample: timed(false) },
      ],
      finish: async () => {
        for (const clone of clones) await clone.drop();
      },
    };
  },
});
