import { limitGoal } from "./benchmark.ts";
import { commandBenchmark } from "./browse/browse-benchmark.ts";

export default commandBenchmark({
  name: "browse-fill",
  what: "Text into a field of a small page. Ours answers with what it changed.",
  page: "/form",
  goals: [limitGoal("at most 25 ms", "devflow", 25, "ms")],
  words: (driver, snapshot) => driver.fill(driver.refOf(snapshot, "textbox", "Name"), "Ada"),
});
