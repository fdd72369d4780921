/**
 * The agents of this machine, as the engine drives them.
 *
 * - `DrivenAgent` one backend: how to reach its program, or why it cannot be used here.
 * - `adaptersOf(agents, options)` an adapter per available agent; `backendsOf(agents)` what binding may choose from.
 */
import type { Environment } from "@devflow/core/config";
import { agentEnvironment } from "@devflow/harness";
import { createHeldAdapter, fenced, type SessionAdapter } from "@devflow/session";
import type { BackendAvailability } from "../binding/bind.ts";

export type DrivenAgent =
  | {
      readonly backend: string;
      readonly available: true;
      /** How it can be driven, by the name that sessions remember; new sessions take the first. */
      readonly adapters: readonly [Drive, ...Drive[]];
      /** The program and its first arguments. */
      readonly command: readonly string[];
      readonly vendor?: string;
      /** Its own variables, such as its key: names, or the beginning of names with `*`. */
      readonly variables: readonly string[];
      /** For the wire: what is particular about this agent. */
      readonly settings?: Readonly<Record<string, unknown>>;
    }
  | { readonly backend: string; readonly available: false; readonly reason: string };

interface Drive {
  readonly name: string;
  readonly wire: string;
}

interface AdapterOptions {
  readonly env: Environment;
  /** Names of variables that the person lets every agent have. */
  readonly passEnvironment: readonly string[];
  /** How to start a holder; the session's folder is appended. */
  readonly holderCommand: readonly string[];
  /** The program of an agent's hooks in a terminal; the socket is appended. */
  readonly hookCommand: readonly string[];
  /** The first program in an agent's sandbox; what it is to do is appended. */
  readonly insideCommand?: readonly string[];
}

export function adaptersOf(
  agents: readonly DrivenAgent[],
  { env, passEnvironment, holderCommand, hookCommand, insideCommand = [] }: AdapterOptions,
): Record<string, SessionAdapter> {
  return Object.fromEntries(
    agents.flatMap((agent) => {
      if (!agent.available) return [];
      const { adapters, command, variables, settings = {} } = agent;
      const environment = (repository: readonly string[]) =>
        environmentOf({ variables }, { env, passEnvironment }, repository);
      return adapters.map(({ name, wire }) => [
        name,
        fenced(createHeldAdapter({ wire, command, settings, holderCommand, hookCommand, insideCommand, environment })),
      ]);
    }),
  );
}

export function backendsOf(agents: readonly DrivenAgent[]): Record<string, BackendAvailability> {
  return Object.fromEntries(
    agents.map((agent) => {
      if (!agent.available) return [agent.backend, { available: false, reason: agent.reason }];
      const { adapters, vendor } = agent;
      return [agent.backend, { available: true, adapter: adapters[0].name, ...(vendor ? { vendor } : {}) }];
    }),
  );
}

/** What an agent gets of the environment: its own variables, those the person lets every agent have, and the repository's. */
export function environmentOf(
  { variables }: Pick<Extract<DrivenAgent, { available: true }>, "variables">,
  { env, passEnvironment }: Pick<AdapterOptions, "env" | "passEnvironment">,
  repository: readonly string[],
): Record<string, string> {
  return agentEnvironment(env, { person: [...passEnvironment, ...namesIn(env, variables)], repository });
}

/** Set by an agent for the programs that it starts itself; a new agent must not take itself for one of them. */
const ofOuterAgents = /^(CLAUDECODE|CLAUDE_CODE_ENTRYPOINT|CLAUDE_CODE_SSE_PORT|CODEX_SANDBOX.*|CODEX_THREAD_ID)$/;

function namesIn(env: Environment, patterns: readonly string[]): string[] {
  const fits = (name: string) =>
    patterns.some((one) => (one.endsWith("*") ? name.startsWith(one.slice(0, -1)) : name === one));
  return Object.keys(env).filter((name) => fits(name) && !ofOuterAgents.test(name));
}
