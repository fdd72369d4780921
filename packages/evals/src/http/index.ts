/** Entry point of the routes for the eval screens. */
export { machineEvals } from "./machine-evals.ts";
