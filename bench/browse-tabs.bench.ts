import { commandBenchmark, peerGoal } from "./browse/browse-benchmark.ts";

export default commandBenchmark({
  name: "browse-tabs",
  what: "Listing the open tabs.",
  page: "/form",
  rounds: 30,
  isQuick: true,
  goals: [peerGoal(2)],
  words: (driver) => driver.tabs,
});
