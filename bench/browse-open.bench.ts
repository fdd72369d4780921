import { defineBenchmark, limitGoal } from "./benchmark.ts";
import { openDrivers } from "./browse/drivers.ts";
import { servePages } from "./browse/pages.ts";

export default defineBenchmark({
  name: "browse-open",
  what: "Cold start: daemon, Chromium and the first page.",
  unit: "ms",
  rounds: 4,
  warmUp: 1,
  goals: [limitGoal("at most 700 ms", "devflow", 700, "ms")],
  prepare: async (context) => {
    const pages = servePages();
    const drivers = await openDrivers(context);
    return {
      contenders: drivers.map((driver) => ({
        name: driver.name,
        sample: async () => {
          let ms = 0;
          for (const words of driver.cold(pages.url("/form"))) ms += (await driver.run(words)).ms;
          await driver.run(driver.close);
          return [ms];
        },
      })),
      finish: async () => {
        for (const driver of drivers) await driver.end();
        pages.stop();
      },
    };
  },
});
