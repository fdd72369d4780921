import { launchChromium } from "@devflow/web/chromium";
import { defineBenchmark } from "./benchmark.ts";
import { openDrivers } from "./browse/drivers.ts";
import { servePages } from "./browse/pages.ts";

const clicks = 100;
const ours = "devflow chain";
const floor = "playwright-core, in-process";

export default defineBenchmark({
  name: "browse-chain",
  what: `${clicks} clicks on a checkbox of a small page in one call of \`chain\`, each with its receipt, compared with the same clicks by playwright-core in a process that already has the page open. Milliseconds per click.`,
  unit: "ms",
  rounds: 3,
  warmUp: 1,
  goals: [
    {
      text: "at most playwright-core in-process + 5 ms per click",
      judge: (of) => {
        const more = of(ours).median - of(floor).median;
        return { figure: `${more < 0 ? "" : "+"}${more.toFixed(1)} ms`, met: more <= 5 };
      },
    },
  ],
  prepare: async (context) => {
    const pages = servePages();
    const [devflow] = await openDrivers(context);
    if (!devflow) throw new Error("nothing to measure");
    await devflow.run(devflow.goto(pages.url("/form")));
    const ref = devflow.refOf((await devflow.run(devflow.snapshot)).out, "checkbox", "Newsletter");
    const chain = ["browse", "chain", ...Array.from({ length: clicks }, () => `click ${ref}`)];
    const browser = await launchChromium();
    const page = await browser.newPage();
    await page.goto(pages.url("/form"));
    const box = page.getByRole("checkbox", { name: "Newsletter" });
    return {
      contenders: [
        { name: ours, sample: async () => [(await devflow.run(chain)).ms / clicks] },
        {
          name: floor,
          sample: async () => {
            const started = Bun.nanoseconds();
            for (let done = 0; done < clicks; done++) await box.click();
            return [(Bun.nanoseconds() - started) / 1e6 / clicks];
          },
        },
      ],
      finish: async () => {
        await browser.close();
        await devflow.end();
        pages.stop();
      },
    };
  },
});
