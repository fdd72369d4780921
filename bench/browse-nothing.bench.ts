import { commandBenchmark, peerGoal } from "./browse/browse-benchmark.ts";

export default commandBenchmark({
  name: "browse-nothing",
  what: "A click on a button that does nothing, and filling a field with the value it has. Devflow has to find out that nothing changed.",
  page: "/idle",
  rounds: 30,
  isQuick: true,
  goals: [peerGoal(3)],
  words: (driver, snapshot) => {
    const button = driver.refOf(snapshot, "button", "Nothing");
    const field = driver.refOf(snapshot, "textbox", "Same");
    return (round) => (round % 2 === 0 ? driver.click(button) : driver.fill(field, "same"));
  },
});
