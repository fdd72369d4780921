/**
 * Providers that are JavaScript, TypeScript or Python files.
 *
 * - `scriptProvider(path, options)` calls what the file exports: `callApi` of a class or an object, a function, or `call_api` of
 *   Python. It answers `{ output, tokenUsage, cost, metadata, … }`, or `{ error }`.
 * - `scriptMethods(path, options)` the same file as an embedder, a classifier or a moderator.
 */
import { CodeFailure, CodeLimit, type CodePool, callScript } from "../code/index.ts";
import { type Provider, type ProviderAnswer, ProviderFault } from "./provider.ts";

export interface ScriptProviderOptions {
  readonly id: string;
  readonly name: string | undefined;
  /** As in the suite; scripts get it as their options. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly code: CodePool;
  readonly timeoutMs?: number;
}

export type ScriptMethod =
  | "callApi"
  | "callEmbeddingApi"
  | "callSimilarityApi"
  | "callClassificationApi"
  | "callModerationApi";
const pythonNames: Readonly<Record<ScriptMethod, string>> = {
  callApi: "call_api",
  callEmbeddingApi: "call_embedding_api",
  callSimilarityApi: "call_similarity_api",
  callClassificationApi: "call_classification_api",
  callModerationApi: "call_moderation_api",
};

const usualTimeoutMs = 300_000;

export type CallMethod = (
  method: ScriptMethod,
  args: readonly unknown[],
  signal: AbortSignal,
) => Promise<Readonly<Record<string, unknown>>>;

export function scriptMethods(path: string, options: ScriptProviderOptions): CallMethod {
  const { id, name, config, folder, code, timeoutMs = usualTimeoutMs } = options;
  const given = { id, config: { ...config, basePath: folder } };
  return async (method, args, signal) => {
    signal.throwIfAborted();
    try {
      const value = path.endsWith(".py")
        ? await callScript("python", { file: path }, name ?? pythonNames[method], pythonArgs(method, args, given), {
            ...{ code, timeoutMs },
            program: typeof config.pythonExecutable === "string" ? config.pythonExecutable : undefined,
          })
        : await code.run({ kind: "provider", file: path, name, options: given, method, args }, timeoutMs);
      if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
      return { output: value };
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof CodeFailure || error instanceof CodeLimit) {
        throw new ProviderFault("failed", `${id}: ${error.message}`, { cause: error });
      }
      throw error;
    }
  };
}

/** Python gets the options between the prompt and the context. */
function pythonArgs(method: ScriptMethod, args: readonly unknown[], options: unknown): unknown[] {
  const [first, ...rest] = args;
  return method === "callApi" ? [first, options, ...rest] : [first, options];
}

export function scriptProvider(path: string, options: ScriptProviderOptions): Provider {
  const call = scriptMethods(path, options);
  return {
    id: options.id,
    async call({ prompt, vars, signal }) {
      const text = typeof prompt === "string" ? prompt : JSON.stringify(prompt);
      const began = performance.now();
      const answer = await call("callApi", [text, { vars, prompt: { raw: text, label: text } }], signal);
      return readResponse(answer, options.id, Math.round(performance.now() - began));
    },
  };
}

/** It answered, but with nothing. */
export class NoOutput extends ProviderFault {}

const number = (value: unknown): number => (typeof value === "number" && value > 0 ? value : 0);

export function readResponse(answer: Readonly<Record<string, unknown>>, id: string, tookMs: number): ProviderAnswer {
  const { output, error, tokenUsage, cost, latencyMs, finishReason, ...raw } = answer;
  if (error) throw new ProviderFault("failed", `${id}: ${typeof error === "string" ? error : JSON.stringify(error)}`);
  if (output === null || output === undefined) throw new NoOutput("failed", `${id}: it gave no output`);
  const usage = (typeof tokenUsage === "object" && tokenUsage !== null ? tokenUsage : undefined) as
    | Readonly<Record<string, unknown>>
    | undefined;
  return {
    output: typeof output === "object" ? output : typeof output === "string" ? output : String(output),
    tokens: usage && {
      input: number(usage.prompt),
      output: number(usage.completion),
      cacheRead: number(usage.cached),
      cacheWrite: 0,
    },
    costUsd: typeof cost === "number" ? cost : undefined,
    latencyMs: typeof latencyMs === "number" ? latencyMs : tookMs,
    finishReason: typeof finishReason === "string" ? finishReason : undefined,
    raw,
  };
}
