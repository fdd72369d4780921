import { limitGoal } from "./benchmark.ts";
import { bytesOf, commandBenchmark } from "./browse/browse-benchmark.ts";

export default commandBenchmark({
  name: "browse-snapshot-bytes",
  what: "Size of the snapshot of the same 300 cards, which an agent has to read.",
  unit: "bytes",
  page: "/shop",
  rounds: 1,
  goals: [
    limitGoal("at most 16 KB by default", "devflow", 16_384, "bytes"),
    limitGoal("at most 3 KB with --budget 800", "devflow, --budget 800", 3_072, "bytes"),
  ],
  words: (driver) => driver.snapshot,
  figure: bytesOf,
  also: { "--budget 800": ({ snapshot }) => [...snapshot, "--budget", "800"] },
});
