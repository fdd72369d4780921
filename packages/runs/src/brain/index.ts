/** Entry point of brain. */
export type { BrainFact, PresentAgent, RunAgent, RunBrain } from "./run-brain.ts";
export { tellBrain } from "./tell-brain.ts";
