import { limitGoal } from "./benchmark.ts";
import { commandBenchmark } from "./browse/browse-benchmark.ts";

export default commandBenchmark({
  name: "browse-click",
  what: "A click on a checkbox of a small page. Devflow reports what changed; agent-browser prints “Done”.",
  page: "/form",
  goals: [limitGoal("at most 45 ms", "devflow", 45, "ms")],
  words: (driver, snapshot) => driver.click(driver.refOf(snapshot, "checkbox", "Newsletter")),
});
