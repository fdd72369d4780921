import { defineBenchmark, limitGoal } from "./benchmark.ts";
import { prepareServer } from "./local-server.ts";

export default defineBenchmark({
  name: "start",
  what: "`devflow up -d` until the server answers: the first time (unpacking Postgres, creating cluster and schema) and later.",
  unit: "ms",
  rounds: 7,
  warmUp: 0,
  goals: [
    limitGoal("the first `up` takes at most 5 s", "first up", 5_000, "ms"),
    limitGoal("a later one at most 0.2 s", "later up", 200, "ms"),
  ],
  prepare: async (context) => {
    const used = await prepareServer(context);
    used.up();
    used.down();
    return {
      contenders: [
        {
          name: "later up",
          sample: async () => {
            const ms = used.up();
            used.down();
            return [ms];
          },
        },
        {
          name: "first up",
          sample: async () => {
            const fresh = await prepareServer(context);
            try {
              return [fresh.up()];
            } finally {
              fresh.remove();
            }
          },
        },
      ],
      finish: async () => used.remove(),
    };
  },
});
