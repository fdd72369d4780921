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

/** `find` resolves to the path of a program, or undefined. */
export async function findShippedAgents(
  find: (program: string) => Promise<string | undefined>,
): Promise<DrivenAgent[]> {
  return await Promise.all(
    shippedAgents.map(async ({ backend, title, program, install, variables }): Promise<DrivenAgent> => {
      const path = await find(program);
      if (path === undefined) {
        return { backend, available: false, reason: `${title} is not installed; install it: ${install}` };
      }
      return { backend, available: true, adapter: backend, wire: backend, command: [path], variables };
    }),
  );
}
