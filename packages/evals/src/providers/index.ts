/** Entry point of providers: what can be asked for an output. */
export { createProvider, type ProviderContext } from "./create-provider.ts";
export {
  type ChatMessage,
  type Provider,
  type ProviderAnswer,
  ProviderFault,
  type ProviderFaultKind,
  type ProviderRequest,
  type ProviderTokens,
} from "./provider.ts";
export { type ProviderSpec, providerKind, providerSpec } from "./provider-spec.ts";
