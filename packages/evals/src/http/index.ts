/** The door of the screens' routes. */
export { machineEvals } from "./machine-evals.ts";
export { type EvalRoutes, type EvalRoutesParts, evalRoutes } from "./routes.ts";
