/**
 * Claude Code behind ACP: `claude-agent-acp`. Seen with 0.99.1. Devflow drives Claude Code by itself as `claude`, with
 * acknowledged prompts and held turns; this is for comparison.
 *
 * - The cost in `usage_update` is that of its whole process.
 */
import type { AcpProfile } from "./acp-profile.ts";

export const claudeAgentAcp: AcpProfile = { mode: "default", offersFiles: true, usage: "turn" };
