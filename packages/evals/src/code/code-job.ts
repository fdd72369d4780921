/**
 * What a code worker is asked to run, and what it answers. One JSON value per line.
 *
 * - `inline` a function body with named parameters.
 * - `module` a function that a JavaScript or TypeScript file exports; if it exports a value, that is the answer.
 * - `provider` a method of the provider that a file exports: a class, an object or a function.
 * - `script` a function of a Python or Ruby script; run by a worker of that language.
 * - `regex` whether a regular expression matches; in a worker, because such a match can take for ever.
 * - `sql` whether a text is SQL, by the `node-sql-parser` installed next to the suite.
 */
import type { ScriptLanguage } from "./script-languages.ts";

export type CodeJob =
  | {
      readonly kind: "inline";
      readonly parameters: readonly string[];
      readonly body: string;
      readonly args: readonly unknown[];
    }
  | {
      readonly kind: "module";
      readonly file: string;
      readonly name?: string | undefined;
      readonly args: readonly unknown[];
      /** A named export must exist; otherwise the default export stands in. */
      readonly isStrict?: boolean;
    }
  | {
      readonly kind: "provider";
      readonly file: string;
      readonly name?: string | undefined;
      readonly options: unknown;
      readonly method:
        | "callApi"
        | "callEmbeddingApi"
        | "callSimilarityApi"
        | "callClassificationApi"
        | "callModerationApi";
      readonly args: readonly unknown[];
    }
  | {
      readonly kind: "script";
      readonly language: ScriptLanguage;
      readonly program?: string | undefined;
      readonly file?: string;
      readonly code?: string;
      readonly name: string;
      readonly args: readonly unknown[];
    }
  | { readonly kind: "regex"; readonly source: string; readonly text: string }
  | {
      readonly kind: "sql";
      readonly folder: string;
      readonly text: string;
      readonly database: string;
      readonly tables: readonly string[] | undefined;
      readonly columns: readonly string[] | undefined;
    };

export type CodeAnswer =
  | { readonly id: number; readonly value?: unknown; readonly isFunction?: true; readonly number?: string }
  | { readonly id: number; readonly error: string; readonly isMissing?: true };

/** The descriptor that a worker writes its answers to; its standard output belongs to the code it runs. */
export const answerDescriptor = 3;
