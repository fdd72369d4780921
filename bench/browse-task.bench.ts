import { defineBenchmark, ratioGoal } from "./benchmark.ts";
import { bytesOf } from "./browse/browse-benchmark.ts";
import { type Driver, openDrivers, type Ran } from "./browse/drivers.ts";
import { type Pages, servePages } from "./browse/pages.ts";

const again = "devflow, the second time";

export default defineBenchmark({
  name: "browse-task",
  what: "Ten steps on three pages (sign up; put the seventh of 300 products into the cart; open a dialog), with refs from snapshots: bytes that the agent writes and reads. A token is about four bytes. The pages are checked to confirm that the task was done. The second time it is a verb, learned from evidence of the first (`browse learn`, `browse task`).",
  unit: "bytes",
  rounds: 1,
  warmUp: 0,
  goals: [
    {
      text: "fewer than any peer",
      judge: (of) => {
        const peers = ["agent-browser", "playwright-cli", "chrome-devtools"].map((name) => of(name).median);
        const ratio = of("devflow").median / Math.min(...peers);
        return {
          figure: `${ratio.toFixed(2)}× the best, ${Math.round(of("devflow").median / 4)} tokens`,
          met: ratio < 1,
        };
      },
    },
    ratioGoal("the second time at most a third", again, "devflow", 1 / 3),
  ],
  prepare: async (context) => {
    const pages = servePages();
    const drivers = await openDrivers(context);
    const [ours] = drivers;
    if (!ours) throw new Error("nothing to measure");
    return {
      contenders: [
        { name: ours.name, sample: async () => [await recorded(ours, () => tenSteps(ours, pages))] },
        { name: again, sample: async () => [await secondTime(ours)] },
        ...drivers.slice(1).map((driver) => ({
          name: driver.name,
          sample: async () => [await tenSteps(driver, pages)],
        })),
      ],
      finish: async () => {
        for (const driver of drivers) await driver.end();
        pages.stop();
      },
    };
  },
});

/** Recording is not one of the steps. */
async function recorded(driver: Driver, work: () => Promise<number>): Promise<number> {
  await driver.run(["browse", "evidence", "start", "ten-steps", "--no-shots"]);
  const bytes = await work();
  await driver.run(["browse", "evidence", "stop"]);
  await driver.run(["browse", "learn", "ten-steps"]);
  return bytes;
}

async function secondTime(driver: Driver): Promise<number> {
  const { out, typed } = await driver.run(["browse", "task", "ten-steps", "Eve"]);
  if (!out.includes("ten-steps: done")) throw new Error(`the verb did not complete the task: ${out}`);
  await hasHappened(driver, "document.querySelector('dialog').open");
  return bytesOf(out) + bytesOf(typed);
}

async function tenSteps(driver: Driver, pages: Pages): Promise<number> {
  let bytes = 0;
  const step = async (words: readonly string[]): Promise<Ran> => {
    const ran = await driver.run(words);
    bytes += bytesOf(ran.out) + bytesOf(ran.typed);
    return ran;
  };
  // Starting the browser is not one of the steps.
  for (const words of driver.cold(pages.url("/account"))) await driver.run(words);

  await step(driver.goto(pages.url("/form")));
  const form = (await step(driver.snapshot)).out;
  await step(driver.fill(driver.refOf(form, "textbox", "Name"), "Ada"));
  await step(driver.click(driver.refOf(form, "button", "Send")));
  await hasHappened(driver, "document.getElementById('said').textContent === 'Welcome Ada'");

  await step(driver.goto(pages.url("/shop")));
  const shop = (await step(driver.snapshot)).out;
  await step(driver.click(driver.refOf(shop, "button", "Add to cart", 6)));
  await hasHappened(driver, "document.getElementById('cart').textContent === '1'");

  await step(driver.goto(pages.url("/account")));
  const account = (await step(driver.snapshot)).out;
  await step(driver.click(driver.refOf(account, "button", "Delete account")));
  await hasHappened(driver, "document.querySelector('dialog').open");
  return bytes;
}

async function hasHappened(driver: Driver, script: string): Promise<void> {
  const { out } = await driver.run(driver.eval(script));
  if (!/\btrue\b/.test(out)) throw new Error(`${driver.name} did not complete the task: ${script} is ${out}`);
}
