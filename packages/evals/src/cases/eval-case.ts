/** One case of a suite, as every part that checks it sees it. */
import type { Expectation } from "../expectations/index.ts";
import type { ChainStep, Comparison, Scope } from "./case-schema.ts";

export interface EvalCase {
  readonly name: string;
  readonly description: string | undefined;
  readonly category: string | undefined;
  readonly tags: readonly string[];
  readonly scope: Scope;
  /** Everything of the document that is not metadata: open, the app's own. */
  readonly input: Readonly<Record<string, unknown>>;
  /** SHA-256 of the canonical input; with the name it is the case's identity. */
  readonly inputSha: string;
  readonly expectations: readonly Expectation[];
  readonly expectationsSha: string;
  /** Absolute; their content is part of the output cache's key. */
  readonly promptSourceFiles: readonly string[];
  readonly comparison: Comparison | undefined;
  readonly tierChain: readonly ChainStep[] | undefined;
  readonly severityOrder: readonly (readonly string[])[] | undefined;
  readonly file: string;
  readonly line: number;
}

export interface Suite {
  readonly name: string;
  readonly cases: readonly EvalCase[];
  readonly files: readonly string[];
  /** Things that are probably meant otherwise. */
  readonly warnings: readonly string[];
}
