/**
 * `askedAgents(providers, context)` the backends of runs that a suite names as providers (`agent:copilot`), found before anything is
 * asked; throws `input_invalid` if one cannot be.
 */
import type { CommandContext } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { findExecutable } from "@devflow/core/find-executable";
import { type AskAgent, type ProviderSpec, providerKind } from "@devflow/evals/runner";

export async function askedAgents(
  providers: readonly ProviderSpec[],
  context: CommandContext,
): Promise<ReadonlyMap<string, AskAgent>> {
  const found = new Map<string, AskAgent>();
  for (const { id } of providers) {
    const kind = providerKind(id);
    if (!("is" in kind) || kind.is !== "backend" || found.has(kind.name)) continue;
    const { findAskedAgent } = await import("@devflow/runs/ask-agent");
    const { home, passEnvironment } = context.config();
    const find = (program: string) => findExecutable([program], context.env);
    const agent = await findAskedAgent(kind.name, { home, env: context.env, passEnvironment, find });
    if ("problem" in agent) {
      throw new DevflowError("input_invalid", {
        details: {
          problem: `${id} cannot be asked: ${agent.problem}.`,
          next: `Describe it in ~/.devflow/backends/${kind.name}.yaml (docs/agents.md), or use agent:claude or agent:codex`,
        },
      });
    }
    found.set(kind.name, agent.ask);
  }
  return found;
}
