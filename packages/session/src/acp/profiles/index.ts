/** The agents that Devflow knows something about, by the name that a backend's `profile` has. */
import { type AcpProfile, plainProfile } from "./acp-profile.ts";
import { claudeAgentAcp } from "./claude-agent-acp.ts";
import { codexAcp } from "./codex-acp.ts";
import { copilot } from "./copilot.ts";
import { gemini } from "./gemini.ts";
import { opencode } from "./opencode.ts";
import { qwen } from "./qwen.ts";

export type { AcpProfile, UsageReport } from "./acp-profile.ts";

const acpProfiles = {
  copilot,
  gemini,
  qwen,
  opencode,
  "claude-agent-acp": claudeAgentAcp,
  "codex-acp": codexAcp,
} as const satisfies Readonly<Record<string, AcpProfile>>;

export const acpProfileNames = Object.keys(acpProfiles) as (keyof typeof acpProfiles)[];

export const profileOf = (name: string | undefined): AcpProfile =>
  (acpProfiles as Readonly<Record<string, AcpProfile>>)[name ?? ""] ?? plainProfile;
