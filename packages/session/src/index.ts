export { acpProfileNames } from "./acp/profiles/index.ts";
export * from "./adapter.ts";
export { fenced } from "./driver-fence.ts";
export { createFakeAdapter } from "./fake/fake-adapter.ts";
export { livingAgent } from "./folder/folder-adapter.ts";
export { createHeldAdapter } from "./holder/held-adapter.ts";
export { makeEnvelope, type PromptEnvelope } from "./prompt-envelope.ts";
export type { SandboxRules } from "./sandbox/sandbox-rules.ts";
export { nextSessionState, recoveryLimits, type SessionTrigger } from "./session-machine.ts";
