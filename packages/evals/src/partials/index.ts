/** The door of partials: results of several workers while they write. */
export { mergePartials } from "./merge-partials.ts";
export { partialsFolder, readPartials, removePartials, suitesWithPartials } from "./partials.ts";
export type { Watch, WatchDelta, WatchRow, WatchWorker } from "./watch-state.ts";
export { type SuiteWatch, watchSuite } from "./watch-suite.ts";
