/** The door of partials: results of several workers while they write. */
export { type MergedRun, mergePartials } from "./merge-partials.ts";
export {
  partialsFolder,
  type ReadPartials,
  readPartials,
  removePartials,
  suitesWithPartials,
  type Worker,
  type WorkerPartial,
  type WorkerState,
  workerStates,
} from "./partials.ts";
export { type TimeLeft, timeLeft } from "./time-left.ts";
export {
  applyDelta,
  type Watch,
  type WatchDelta,
  type WatchRow,
  type WatchWorker,
  watchStates,
} from "./watch-state.ts";
export { followSuite, type SuiteWatch, type WatchNews, watchSuite } from "./watch-suite.ts";
