import { commandBenchmark, peerGoal } from "./browse/browse-benchmark.ts";

const commands = 20;

export default commandBenchmark({
  name: "browse-batch",
  what: `${commands} clicks on a checkbox in one call: \`chain\` of Devflow, with a receipt for each, and \`batch\` of agent-browser.`,
  page: "/form",
  rounds: 15,
  isQuick: true,
  goals: [peerGoal(1.2)],
  words: (driver, snapshot) => {
    const box = driver.refOf(snapshot, "checkbox", "Newsletter");
    return driver.batch(Array.from({ length: commands }, () => driver.click(box)));
  },
});
