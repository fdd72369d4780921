/** One case of a suite. */
import type { Expectation } from "../expectations/index.ts";
import type { ProviderSpec } from "../providers/provider-spec.ts";
import type { ChainStep, Comparison, Scope } from "./case-schema.ts";
import type { PromptSpec } from "./prompt-spec.ts";

export interface EvalCase {
  readonly name: string;
  readonly description: string | undefined;
  readonly category: string | undefined;
  readonly tags: readonly string[];
  readonly scope: Scope;
  /** Everything in the document that is not metadata; its shape is the app's. */
  readonly input: Readonly<Record<string, unknown>>;
  /** SHA-256 of the canonical input; together with the name it identifies the case. */
  readonly inputSha: string;
  readonly expectations: readonly Expectation[];
  readonly expectationsSha: string;
  /** Absolute paths; their content is part of the cache key. */
  readonly promptSourceFiles: readonly string[];
  readonly comparison: Comparison | undefined;
  readonly tierChain: readonly ChainStep[] | undefined;
  readonly severityOrder: readonly (readonly string[])[] | undefined;
  readonly file: string;
  readonly line: number;
}

/** What a suite asks, and whom. */
export interface SuitePlan {
  readonly prompts: readonly PromptSpec[] | undefined;
  readonly providers: readonly ProviderSpec[] | undefined;
  readonly file: string;
  readonly line: number;
}

export interface Suite {
  readonly name: string;
  readonly cases: readonly EvalCase[];
  readonly files: readonly string[];
  /** Undefined if no file has prompts or providers. */
  readonly plan: SuitePlan | undefined;
  /** Probable mistakes. */
  readonly warnings: readonly string[];
}
