import { limitGoal } from "./benchmark.ts";
import { commandBenchmark, peerGoal } from "./browse/browse-benchmark.ts";

export default commandBenchmark({
  name: "browse-click",
  what: "A click on a checkbox of a small page. Devflow reports what changed; agent-browser prints “Done”.",
  page: "/form",
  goals: [limitGoal("at most 45 ms", "devflow", 45, "ms"), peerGoal(1.5)],
  rounds: 30,
  isQuick: true,
  words: (driver, snapshot) => driver.click(driver.refOf(snapshot, "checkbox", "Newsletter")),
});
