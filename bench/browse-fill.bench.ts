import { limitGoal } from "./benchmark.ts";
import { commandBenchmark, peerGoal } from "./browse/browse-benchmark.ts";

export default commandBenchmark({
  name: "browse-fill",
  what: "Filling a field of a small page with a different text each time. Devflow reports what changed.",
  page: "/form",
  goals: [limitGoal("at most 25 ms", "devflow", 25, "ms"), peerGoal(1.5)],
  rounds: 30,
  isQuick: true,
  words: (driver, snapshot) => {
    const name = driver.refOf(snapshot, "textbox", "Name");
    // The same text again would change nothing; browse-nothing measures that.
    return (round) => driver.fill(name, `Ada ${round}`);
  },
});
