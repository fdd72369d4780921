/** Entry point of records. */
export { type BrainDraft, brainDraft } from "./brain-draft.ts";
export {
  type AgentEdit,
  type AgentIdentity,
  type AgentRead,
  type BrainKind,
  brainPayloads,
  type Decision,
  type FeatureTag,
  type Handoff,
  type Intent,
} from "./payloads.ts";
