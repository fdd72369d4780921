/**
 * Routes for the eval results of one machine: store, partials, quarantines and labels.
 *
 * - `machineEvals(home, store)` the routes; the caller closes the store.
 */
import { userInfo } from "node:os";
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
    writeLabel: (suite, label) => labelFile(home, suite).add([{ ...label, by: userInfo().username }]),
    prices: async () => (await import("@devflow/prices")).openPrices({ overlayFile: join(home, "prices.json") }),
    streams,
  });
}
