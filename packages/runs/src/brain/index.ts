/** Entry point of brain. */
export { contextForPrompt } from "./context-for-prompt.ts";
export type { BrainFact, PresentAgent, RunAgent, RunBrain } from "./run-brain.ts";
export { tellBrain } from "./tell-brain.ts";
