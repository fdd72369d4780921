/**
 * Runs vectors through Devflow's own assertions.
 *
 * - `ourVerdicts(vectors, folder)` one verdict per vector, in the form of the recorded ones.
 */
import { fileURLToPath } from "node:url";
import { type AssertionTools, checkAssertion } from "../../src/assertions/index.ts";
import { openCodePool } from "../../src/code/index.ts";
import { createProviders } from "../../src/promptfoo/index.ts";
import type { AssertionVector } from "./assertion-vectors.ts";

export type Verdict = { readonly pass: boolean; readonly score: number } | { readonly error: true };

export const codeWorkerCommand = (): string[] => [
  process.execPath,
  fileURLToPath(new URL("../programs/code-worker.ts", import.meta.url)),
];

export async function ourVerdicts(vectors: readonly AssertionVector[], folder: string): Promise<Verdict[]> {
  const { signal } = new AbortController();
  const env = { PATH: process.env.PATH, HOME: process.env.HOME };
  const code = openCodePool({ command: codeWorkerCommand(), cwd: folder, env });
  try {
    const verdicts: Verdict[] = [];
    for (const vector of vectors) verdicts.push(await verdictOf(vector, { folder, env, code, signal }));
    return verdicts;
  } finally {
    await code.close();
  }
}

async function verdictOf(vector: AssertionVector, tools: Omit<AssertionTools, "models">): Promise<Verdict> {
  const {
    assertion,
    output,
    vars = {},
    prompt = "the prompt",
    response = {},
    options = {},
    provider,
    latencyMs,
    trace,
  } = vector;
  // A new factory for each vector: the scripted judge answers from the beginning.
  const { models } = createProviders({ ...tools, providers: [], modelProvider: (id) => `${id} is not known` });
  const answered = { ...response, providerConfig: provider, latencyMs, trace };
  const input = { output, answered: answered as never, prompt, vars, test: { vars, options }, options };
  try {
    const { pass, score } = await checkAssertion(assertion, input, { ...tools, models });
    return { pass, score };
  } catch {
    return { error: true };
  }
}
