/**
 * A provider as a suite or the command line names it.
 *
 * - `providerSpec` zod schema: an id, or an object with an id and options.
 * - `providerKind(id)` what the id stands for, or what is wrong with it.
 *
 * | id | stands for |
 * |---|---|
 * | `anthropic:<model>` | Anthropic Messages |
 * | `openai:<model>`, `openai:responses:<model>` | OpenAI Responses |
 * | `openai:chat:<model>` | chat completions, of OpenAI or of any compatible server (`base_url`) |
 * | `https://…` | an HTTP endpoint of the app |
 * | `exec:<command>` | a command |
 * | `agent:claude`, `agent:codex` | a coding agent |
 * | `agent:<backend>` | a backend of runs, from `~/.devflow/backends` |
 */
import { z } from "zod";
import { type AgentName, agentNames } from "./agent-names.ts";
import type { DialectName } from "./model-dialects.ts";
import { splitCommand } from "./split-command.ts";

const variable = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "is not a valid variable name");

const options = z.strictObject({
  id: z.string().trim().min(1),
  /** How reports call it; the id by default. */
  name: z.string().trim().min(1).max(200).optional(),
  /** For a server of one's own. No key is sent to it unless `key_env` names one. */
  base_url: z.url({ protocol: /^https?$/ }).optional(),
  /** The variable that holds the key. Keys themselves are never written down. */
  key_env: variable.optional(),
  /** Of an agent; for a model it is part of the id. */
  model: z.string().min(1).optional(),
  max_tokens: z.int().min(1).max(1_000_000).default(4_096),
  temperature: z.number().min(0).max(2).optional(),
  /** In the provider's own format. */
  tools: z.array(z.record(z.string(), z.unknown())).default([]),
  /** More arguments of an agent. */
  args: z.array(z.string()).default([]),
  /** The folder that an agent or a command works in; an agent gets an empty one by default. */
  cwd: z.string().min(1).optional(),
  timeout_seconds: z.number().positive().max(86_400).default(300),
  /** The most calls at once; `--concurrency` by default. */
  concurrency: z.int().min(1).max(1_000).optional(),
});

export const providerSpec = z
  .union([z.string().transform((id) => options.parse({ id })), options])
  .superRefine(({ id }, context) => {
    const kind = providerKind(id);
    if ("problem" in kind) context.addIssue({ code: "custom", path: ["id"], message: kind.problem });
  });
export type ProviderSpec = z.output<typeof options>;

export type ProviderKind =
  | { readonly is: "model"; readonly dialect: DialectName; readonly model: string }
  | { readonly is: "endpoint"; readonly url: string }
  | { readonly is: "command"; readonly argv: readonly string[] }
  | { readonly is: "agent"; readonly agent: AgentName }
  | { readonly is: "backend"; readonly name: string };

export function providerKind(id: string): ProviderKind | { readonly problem: string } {
  if (/^https?:\/\//.test(id)) {
    return URL.canParse(id) ? { is: "endpoint", url: id } : { problem: `"${id}" is not a valid URL` };
  }
  const [maker = "", ...rest] = id.split(":");
  const named = rest.join(":");
  if (maker === "exec") {
    const argv = splitCommand(named);
    return argv.length > 0 ? { is: "command", argv } : { problem: "exec: needs a command, such as exec:node app.js" };
  }
  if (maker === "agent") {
    const agent = agentNames.find((one) => one === named);
    if (agent) return { is: "agent", agent };
    return /^[a-z][a-z0-9-]*$/.test(named)
      ? { is: "backend", name: named }
      : { problem: `agent: needs ${agentNames.join(", ")} or the name of a backend, not "${named}"` };
  }
  const dialect = dialectOf(maker, rest);
  if (dialect && dialect.model !== "") return { is: "model", ...dialect };
  return {
    problem: `"${id}" is not a provider; use anthropic:<model>, openai:<model>, openai:chat:<model>, exec:<command>, agent:claude, agent:codex or a URL`,
  };
}

function dialectOf(
  maker: string,
  rest: readonly string[],
): { readonly dialect: DialectName; readonly model: string } | undefined {
  const [first = "", ...others] = rest;
  if (maker === "anthropic") return { dialect: "anthropic", model: (first === "messages" ? others : rest).join(":") };
  if (maker !== "openai") return undefined;
  if (first === "chat") return { dialect: "openai-chat", model: others.join(":") };
  return { dialect: "openai", model: (first === "responses" ? others : rest).join(":") };
}
