import { limitGoal } from "./benchmark.ts";
import { commandBenchmark } from "./browse/browse-benchmark.ts";

export default commandBenchmark({
  name: "browse-fill",
  what: "Text into a field of a small page, another one each time. Ours answers with what it changed.",
  page: "/form",
  goals: [limitGoal("at most 25 ms", "devflow", 25, "ms")],
  words: (driver, snapshot) => {
    const name = driver.refOf(snapshot, "textbox", "Name");
    // The same text again changes nothing, and ours then waits to see whether it does.
    return (round) => driver.fill(name, `Ada ${round}`);
  },
});
