/** Claude Code and Codex, as they are found on a machine. */
import type { DrivenAgent } from "./driven-agent.ts";

interface ShippedAgent {
  readonly backend: string;
  readonly title: string;
  readonly program: string;
  readonly install: string;
  readonly variables: readonly string[];
}

const shippedAgents: readonly ShippedAgent[] = [
  {
    backend: "claude",
    title: "Claude Code",
    program: "claude",
    install: "npm install -g @anthropic-ai/claude-code",
    variables: ["ANTHROPIC_*", "CLAUDE_*", "DISABLE_*"],
  },
  {
    backend: "codex",
    title: "Codex",
    program: "codex",
    install: "npm install -g @openai/codex",
    variables: ["OPENAI_*", "CODEX_*"],
  },
];

interface FindOptions {
  /** Resolves to the path of a program, or undefined. */
  readonly find: (program: string) => Promise<string | undefined>;
  /** Where new sessions run. */
  readonly agentsIn: "pipes" | "tmux";
}

export async function findShippedAgents({ find, agentsIn }: FindOptions): Promise<DrivenAgent[]> {
  const isTmux = agentsIn === "tmux" && (await find("tmux")) !== undefined;
  return await Promise.all(
    shippedAgents.map(async ({ backend, title, program, install, variables }): Promise<DrivenAgent> => {
      const path = await find(program);
      if (path === undefined) {
        return { backend, available: false, reason: `${title} is not installed; install it: ${install}` };
      }
      const pipes = { name: backend, wire: backend };
      const tmux = { name: `tmux-${backend}`, wire: `tmux-${backend}` };
      const adapters = isTmux ? ([tmux, pipes] as const) : ([pipes, tmux] as const);
      return { backend, available: true, adapters, command: [path], variables };
    }),
  );
}
