/**
 * The eval results of one machine as routes: its store, its partials, its quarantines and its people's labels.
 *
 * - `machineEvals(home, store)` the routes; the store stays the caller's.
 */
import { join } from "node:path";
import { readQuarantines } from "../compare/index.ts";
import { labelFile } from "../judges/index.ts";
import type { EvalStore } from "../store/index.ts";
import { type EvalRoutes, evalRoutes } from "./routes.ts";
import { watchPartials } from "./watch-partials.ts";
import type { WatchStreamOptions } from "./watch-stream.ts";

export function machineEvals(home: string, store: EvalStore, streams: WatchStreamOptions = {}): EvalRoutes {
  return evalRoutes({
    store,
    watch: watchPartials(home),
    quarantines: () => readQuarantines(join(home, "evals", "quarantine.json")),
    labels: (suite) => labelFile(home, suite).read(),
    prices: async () => (await import("@devflow/prices")).openPrices({ overlayFile: join(home, "prices.json") }),
    streams,
  });
}
