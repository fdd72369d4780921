import { limitGoal } from "./benchmark.ts";
import { commandBenchmark, peerGoal } from "./browse/browse-benchmark.ts";

export default commandBenchmark({
  name: "browse-eval",
  what: "Running a script in an open page, from the start of the command to its end.",
  page: "/form",
  goals: [limitGoal("at most 20 ms", "devflow", 20, "ms"), peerGoal(2)],
  rounds: 30,
  isQuick: true,
  words: (driver) => driver.eval("1+1"),
});
