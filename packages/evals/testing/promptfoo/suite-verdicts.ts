/**
 * Verdicts of whole suites, in one form for both tools.
 *
 * - `suiteNames()`, `suiteFolder(name)` the example suites.
 * - `verdictOf(result)` of a result in promptfoo's format: verdict, score, named scores and assertions.
 * - `ourSuiteVerdicts(name)` runs a suite by Devflow.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openCodePool } from "../../src/code/index.ts";
import { createProviders, loadPromptfooSuite, planSuite, runSuite, suiteLacks } from "../../src/promptfoo/index.ts";
import { codeWorkerCommand } from "./our-verdicts.ts";

export interface SuiteVerdict {
  readonly at: string;
  readonly verdict: "pass" | "fail" | "error";
  readonly score: number;
  readonly output: string;
  readonly named: Readonly<Record<string, number>>;
  /** `type pass score` of each assertion. */
  readonly assertions: readonly string[];
}

const root = fileURLToPath(new URL("./suites", import.meta.url));
export const suiteNames = (): string[] => readdirSync(root).sort();
export const suiteFolder = (name: string): string => join(root, name);

interface FoundGrade {
  readonly pass: boolean;
  readonly score: number;
  readonly assertion?: { readonly type?: string } | null | undefined;
}

interface FoundResult {
  readonly testIdx: number;
  readonly provider: { readonly label?: string | undefined };
  readonly prompt: { readonly raw: string };
  readonly success: boolean;
  readonly failureReason: number;
  readonly score: number;
  readonly namedScores?: Readonly<Record<string, number>>;
  readonly response?: { readonly output?: unknown } | undefined;
  readonly gradingResult?: { readonly componentResults?: readonly FoundGrade[] | undefined } | null;
}

const round = (value: number): number => Number(value.toFixed(6));

export function verdictOf(result: FoundResult): SuiteVerdict {
  const {
    testIdx,
    provider,
    prompt,
    success,
    failureReason,
    score,
    namedScores = {},
    response,
    gradingResult,
  } = result;
  const verdict = failureReason === 2 ? "error" : success ? "pass" : "fail";
  const parts = gradingResult?.componentResults ?? [];
  const { output = "" } = response ?? {};
  return {
    // By the prompt, because the order of files that a glob matches differs.
    at: `${testIdx} ${provider.label ?? ""} ${prompt.raw.replace(/\s+/g, "").slice(0, 60)}`,
    verdict,
    score: round(score),
    output: verdict === "error" ? "" : typeof output === "string" ? output : JSON.stringify(output),
    named: Object.fromEntries(Object.entries(namedScores).map(([name, value]) => [name, round(value)])),
    assertions: parts.map((one) => `${one.assertion?.type ?? "set"} ${one.pass ? "pass" : "fail"} ${round(one.score)}`),
  };
}

export const inOrder = (verdicts: readonly SuiteVerdict[]): SuiteVerdict[] =>
  verdicts.toSorted((a, b) => a.at.localeCompare(b.at, "en", { numeric: true }));

export async function ourSuiteVerdicts(name: string): Promise<SuiteVerdict[]> {
  const folder = suiteFolder(name);
  const { signal } = new AbortController();
  const env = { PATH: process.env.PATH, HOME: process.env.HOME };
  const code = openCodePool({ command: codeWorkerCommand(), cwd: folder, env });
  try {
    const suite = await loadPromptfooSuite(join(folder, "promptfooconfig.yaml"), { env, code, signal });
    const factory = createProviders({
      ...{ folder, env: suite.env, code, signal, providers: suite.providers },
      modelProvider: (id) => `${id} is not known`,
    });
    const refused = [...suite.refusals, ...suiteLacks(suite, factory)];
    if (refused.length > 0) throw new Error(refused.join("; "));
    const tools = { folder, env: suite.env, code, models: factory.models, signal };
    const verdicts: SuiteVerdict[] = [];
    for await (const result of runSuite(suite, { plan: planSuite(suite), factory, tools }))
      verdicts.push(verdictOf(result));
    return inOrder(verdicts);
  } finally {
    await code.close();
  }
}
