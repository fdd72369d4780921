/** Entry point of runner: asks models, endpoints, commands and agents itself. */
export type { AskAgent } from "../providers/asked-agent.ts";
export { createProvider } from "../providers/create-provider.ts";
export type { Provider } from "../providers/provider.ts";
export { type ProviderSpec, providerKind, providerSpec } from "../providers/provider-spec.ts";
export { callLimiter } from "./call-limiter.ts";
export { callWithRetries } from "./call-with-retries.ts";
export { tokensAtMost } from "./cost-estimate.ts";
export { openRun } from "./open-run.ts";
export { defaultPrompts, readPrompts } from "./read-prompts.ts";
export { promptLength } from "./render-prompt.ts";
export type { Journal } from "./run-journal.ts";
export {
  type MatrixProgress,
  type MatrixResult,
  type MatrixStart,
  type RunMatrixOptions,
  runMatrix,
  type UntilDecided,
} from "./run-matrix.ts";
export type { PairStatus, SequentialFinding } from "./until-decided.ts";
