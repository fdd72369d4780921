import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineBenchmark } from "./benchmark.ts";
import { filledStore } from "./eval-store-filled.ts";

const bytes = "bytes of the page, as JSON";
const time = "milliseconds to read it, sorted by duration";

export default defineBenchmark({
  name: "eval-page",
  what: "One page of 50 rows of a run with 10,000 results.",
  unit: "count",
  rounds: 30,
  warmUp: 3,
  goals: [
    {
      text: "at most 60 kB",
      judge: (of) => ({ figure: `${(of(bytes).median / 1000).toFixed(1)} kB`, met: of(bytes).max <= 60_000 }),
    },
    {
      text: "read in at most 100 ms",
      judge: (of) => ({ figure: `${of(time).median.toFixed(1)} ms`, met: of(time).median <= 100 }),
    },
  ],
  prepare: async () => {
    const home = mkdtempSync(join(tmpdir(), "df-bench-"));
    const store = await filledStore(home, 1, 10_000);
    let page = 0;
    const next = () => store.results("run-0", { sort: "duration", descending: true, page: page++ % 200 });
    return {
      contenders: [
        { name: bytes, sample: async () => [Buffer.byteLength(JSON.stringify(await next()))] },
        {
          name: time,
          sample: async () => {
            const started = Bun.nanoseconds();
            await next();
            return [(Bun.nanoseconds() - started) / 1e6];
          },
        },
      ],
      finish: async () => {
        store.close();
        rmSync(home, { recursive: true });
      },
    };
  },
});
