/** A promptfoo suite, read whole: every file that it names is loaded, nothing has run yet. */
import type { Assertion } from "../assertions/index.ts";

export type Members = Readonly<Record<string, unknown>>;

export interface SuitePrompt {
  /** The template, or the source of the function that makes the prompt. */
  readonly raw: string;
  readonly label: string;
  readonly id?: string | undefined;
  readonly config?: Members | undefined;
  /** `file://prompt.js:name`, `exec:…`: makes the prompt from the variables. */
  readonly script?: { readonly path: string; readonly name: string | undefined } | undefined;
  readonly command?: readonly string[] | undefined;
}

export interface SuiteProvider {
  readonly id: string;
  readonly label: string | undefined;
  readonly config: Members;
  readonly prompts: readonly string[] | undefined;
  readonly transform: unknown;
  readonly delayMs: number;
}

/** A test with everything that `defaultTest` adds to it. */
export interface SuiteTest {
  readonly description: string | undefined;
  readonly vars: Members;
  readonly assert: readonly Assertion[];
  readonly options: Members;
  readonly metadata: Members;
  readonly threshold: number | undefined;
  readonly provider: unknown;
  readonly providers: readonly string[] | undefined;
  readonly prompts: readonly string[] | undefined;
  /** Instead of an answer of a provider. */
  readonly providerOutput: unknown;
  readonly assertScoringFunction: unknown;
  /** Where it was found. */
  readonly source: string;
}

export interface PromptfooSuite {
  readonly name: string;
  readonly folder: string;
  readonly prompts: readonly SuitePrompt[];
  readonly providers: readonly SuiteProvider[];
  readonly tests: readonly SuiteTest[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly maxConcurrency: number;
  readonly delayMs: number;
  readonly repeats: number;
  /** What cannot be run, each with where it is. A suite with any is refused before it starts. */
  readonly refusals: readonly string[];
  /** What is run otherwise than its author may expect, or is not needed for verdicts. */
  readonly warnings: readonly string[];
}

/** A file of the suite that cannot be read, or has the wrong shape. */
export class SuiteFault extends Error {
  override readonly name = "SuiteFault";
}

export const isMembers = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);
export const textOr = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;
export const numberOr = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) ? value : undefined;
