/** The door of the screens' routes. */
export type { LabelPairs } from "./judges-view.ts";
export { labelPairs } from "./label-pairs.ts";
export type { EvalsEnv } from "./request.ts";
export { type EvalRoutes, type EvalRoutesParts, evalRoutes } from "./routes.ts";
export { watchPartials } from "./watch-partials.ts";
export { deltaOf, type WatchSource, type WatchStreamOptions } from "./watch-stream.ts";
