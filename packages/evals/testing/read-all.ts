/** For tests: a file's runs with all their results in memory. */

import { importFile } from "../src/interop/import-file.ts";
import type { ImportOptions } from "../src/interop/importer.ts";
import type { EvalResult, ImportedRun } from "../src/results/result.ts";
import type { ImportInput } from "../src/results/source.ts";

export interface WholeRun extends Omit<ImportedRun, "results"> {
  readonly results: EvalResult[];
}

export async function readAll(input: ImportInput, options: ImportOptions = {}): Promise<WholeRun[]> {
  const runs: WholeRun[] = [];
  for await (const imported of importFile(input, options)) {
    const held: EvalResult[] = [];
    for await (const result of imported.results) held.push(result);
    runs.push({ ...imported, results: held });
  }
  return runs;
}

/** A string as a stream, in chunks of the given size. */
export async function* streamOf(content: string | Uint8Array, pieceBytes = 1 << 16): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(content as string);
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

/** The message with which the promise was refused; fails if it was not. */
export async function refusal(attempt: Promise<unknown>): Promise<string> {
  try {
    await attempt;
  } catch (error) {
    const { name, code, message, hint } = error as { name: string; code: string; message: string; hint: string };
    if (name !== "DevflowError" || code !== "input_invalid" || !hint) throw error;
    return message;
  }
  throw new Error("nothing was refused");
}
