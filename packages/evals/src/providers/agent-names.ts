/** The coding agents that can be asked headless. */
export const agentNames = ["claude", "codex"] as const;
export type AgentName = (typeof agentNames)[number];
