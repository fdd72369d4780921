import { limitGoal } from "./benchmark.ts";
import { commandBenchmark, peerGoal } from "./browse/browse-benchmark.ts";

export default commandBenchmark({
  name: "browse-snapshot",
  what: "The interactive elements of a shop with 300 cards (900 links and buttons), as each tool lists them by default.",
  page: "/shop",
  rounds: 30,
  goals: [limitGoal("at most 140 ms", "devflow", 140, "ms"), peerGoal(0.6)],
  words: (driver) => driver.snapshot,
  also: { "--budget 800": ({ snapshot }) => [...snapshot, "--budget", "800"] },
});
