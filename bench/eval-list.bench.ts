import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "@devflow/evals/store";
import { defineBenchmark, limitGoal } from "./benchmark.ts";
import { filledStore } from "./eval-store-filled.ts";

const ours = "open the store and list";
const filtered = "list one suite, failed only";

export default defineBenchmark({
  name: "eval-list",
  what: "Listing the newest 50 of 1,000 eval runs with 100,000 results; the store is opened and checked against its files each time.",
  unit: "ms",
  rounds: 30,
  warmUp: 3,
  goals: [limitGoal("at most 50 ms", ours, 50, "ms"), limitGoal("filtered: at most 50 ms", filtered, 50, "ms")],
  prepare: async ({ say }) => {
    const home = mkdtempSync(join(tmpdir(), "df-bench-"));
    say("storing 1,000 runs of 100 results");
    (await filledStore(home, 1000, 100)).close();
    const timed = (filter: object) => async () => {
      const started = Bun.nanoseconds();
      const store = await openStore(home);
      const { runs } = store.list(filter);
      const ms = (Bun.nanoseconds() - started) / 1e6;
      store.close();
      if (runs.length !== 50) throw new Error(`${runs.length} runs listed instead of 50`);
      return [ms];
    };
    return {
      contenders: [
        { name: ours, sample: timed({}) },
        { name: filtered, sample: timed({ suite: "suite 2", failed: true }) },
      ],
      finish: async () => rmSync(home, { recursive: true }),
    };
  },
});
