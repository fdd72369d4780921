/** The door of the screens' routes. */
export { machineEvals } from "./machine-evals.ts";
