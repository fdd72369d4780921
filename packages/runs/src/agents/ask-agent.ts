/**
 * Asks a backend of this machine one question, headless and without a run: for evals.
 *
 * - `findAskedAgent(name, options)` the backend in `~/.devflow/backends`, or why it cannot be asked.
 */
import type { Environment } from "@devflow/core/config";
import type { AgentReply } from "@devflow/session/ask-acp-agent";
import { readBackends } from "../definitions/index.ts";
import { environmentOf } from "./driven-agent.ts";
import { findOwnAgents } from "./own-agents.ts";

export interface AskedAgentOptions {
  readonly home: string;
  readonly env: Environment;
  /** Names of variables that the person lets every agent have. */
  readonly passEnvironment: readonly string[];
  /** Resolves to the path of a program, or undefined. */
  readonly find: (program: string) => Promise<string | undefined>;
}

export interface AskedAgent {
  ask(question: {
    readonly prompt: string;
    readonly cwd: string;
    readonly model?: string | undefined;
    /** More arguments of its program. */
    readonly args: readonly string[];
    readonly signal: AbortSignal;
  }): Promise<AgentReply>;
}

export async function findAskedAgent(
  name: string,
  { home, env, passEnvironment, find }: AskedAgentOptions,
): Promise<AskedAgent | { readonly problem: string }> {
  const { backends, refused } = await readBackends(home);
  const [agent] = await findOwnAgents(
    backends.filter(({ definition }) => definition.name === name),
    find,
  );
  if (!agent) {
    const faulty = refused.find(({ file }) => file.endsWith(`/${name}.yaml`));
    return {
      problem: faulty ? `${faulty.file} has a fault: ${faulty.faults[0]?.reason}` : `there is no backend ${name}`,
    };
  }
  if (!agent.available) return { problem: agent.reason };
  const { command, settings } = agent;
  const environment = environmentOf(agent, { env, passEnvironment }, []);
  return {
    async ask({ args, ...question }) {
      const { askAcpAgent } = await import("@devflow/session/ask-acp-agent");
      return await askAcpAgent({ ...question, command: [...command, ...args], settings, env: environment });
    },
  };
}
