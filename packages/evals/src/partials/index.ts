/** Entry point of partials: the results of several workers during a run. */
export { mergePartials, runsOf } from "./merge-partials.ts";
export { partialsFolder, readPartials, removePartials, suitesWithPartials } from "./partials.ts";
export type { Watch, WatchDelta, WatchRow, WatchWorker } from "./watch-state.ts";
export { type SuiteWatch, watchSuite } from "./watch-suite.ts";
