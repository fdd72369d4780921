/**
 * Makes the provider that a suite or the command line names.
 *
 * - `createProvider(spec, context)` throws `input_invalid` if its key is missing. Keys come from the environment, by name.
 */
import { resolve } from "node:path";
import { DevflowError } from "@devflow/core/errors";
import { Secret } from "@devflow/core/secret";
import { agentProvider } from "./agent-provider.ts";
import { type AskAgent, askedAgentProvider } from "./asked-agent.ts";
import { commandProvider } from "./command-provider.ts";
import { endpointProvider } from "./endpoint-provider.ts";
import { dialects } from "./model-dialects.ts";
import { modelProvider } from "./model-provider.ts";
import type { Provider } from "./provider.ts";
import { type ProviderSpec, providerKind } from "./provider-spec.ts";

export interface ProviderContext {
  /** Where keys and base URLs are looked up. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The environment of commands and agents. */
  readonly childEnv: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** The backends of runs that can be asked, by name. */
  readonly agents?: ReadonlyMap<string, AskAgent> | undefined;
  readonly fetch?: typeof fetch | undefined;
  readonly onHeaders?: ((headers: Headers) => void) | undefined;
}

export function createProvider(spec: ProviderSpec, context: ProviderContext): Provider {
  const { id, model, args } = spec;
  const { env, childEnv, fetch, onHeaders } = context;
  const kind = providerKind(id);
  const timeoutMs = Math.round(spec.timeout_seconds * 1_000);
  const cwd = spec.cwd === undefined ? undefined : resolve(context.cwd, spec.cwd);
  if ("problem" in kind) throw invalid(kind.problem, "See docs/eval-suites.md");
  switch (kind.is) {
    case "model": {
      const dialect = dialects[kind.dialect];
      const { base_url: ownUrl, max_tokens: maxTokens, temperature, tools } = spec;
      const given = env[dialect.baseUrlName];
      const baseUrl = ownUrl ?? (given || dialect.baseUrl);
      const keyName = spec.key_env ?? (ownUrl === undefined ? dialect.keyName : undefined);
      const key = secretNamed(keyName, env);
      if (keyName !== undefined && !key && (spec.key_env !== undefined || !given)) {
        throw invalid(`${id} cannot be asked: ${keyName} is not set.`, `export ${keyName}=…`);
      }
      const settings = { id, dialect: kind.dialect, model: kind.model, baseUrl, key, maxTokens, temperature, tools };
      return modelProvider({ ...settings, timeoutMs, fetch, onHeaders });
    }
    case "endpoint":
      return endpointProvider({ id, url: kind.url, key: requiredKey(spec, env), timeoutMs, fetch, onHeaders });
    case "command":
      return commandProvider({ id, argv: kind.argv, cwd: cwd ?? context.cwd, env: childEnv, timeoutMs });
    case "agent":
      return agentProvider({ id, agent: kind.agent, model, args, cwd, env: childEnv, timeoutMs });
    case "backend": {
      const ask = context.agents?.get(kind.name);
      if (!ask) throw invalid(`${id} cannot be asked here.`, "See docs/eval-suites.md");
      return askedAgentProvider({ id, ask, model, args, cwd, timeoutMs });
    }
  }
}

function requiredKey({ id, key_env: name }: ProviderSpec, env: ProviderContext["env"]): Secret | undefined {
  const key = secretNamed(name, env);
  if (name !== undefined && !key) throw invalid(`${id} cannot be asked: ${name} is not set.`, `export ${name}=…`);
  return key;
}

function secretNamed(name: string | undefined, env: ProviderContext["env"]): Secret | undefined {
  const value = name === undefined ? undefined : env[name];
  return value ? new Secret(value) : undefined;
}

const invalid = (problem: string, next: string): DevflowError =>
  new DevflowError("input_invalid", { details: { problem, next } });
