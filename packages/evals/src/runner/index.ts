/** Entry point of runner: asks models, endpoints, commands and agents itself. */
export { createProvider } from "../providers/create-provider.ts";
export type { Provider } from "../providers/provider.ts";
export { type ProviderSpec, providerKind, providerSpec } from "../providers/provider-spec.ts";
export { defaultPrompts, readPrompts } from "./read-prompts.ts";
export {
  type MatrixProgress,
  type MatrixResult,
  type MatrixStart,
  type RunMatrixOptions,
  runMatrix,
  type UntilDecided,
} from "./run-matrix.ts";
export type { PairStatus, SequentialFinding } from "./until-decided.ts";
