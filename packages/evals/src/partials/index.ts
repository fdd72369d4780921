/** Results of workers that run at the same time; see `partials.ts`. */
export { type MergedRun, mergePartials } from "./merge-partials.ts";
export {
  type Partial,
  type ReadPartials,
  readPartials,
  removePartials,
  type Worker,
  type WorkerState,
  workerStates,
} from "./partials.ts";
