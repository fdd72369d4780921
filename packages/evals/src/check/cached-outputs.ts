/**
 * Caches the outputs of a command.
 *
 * - `cachedOutputs(run, case, where)` cached outputs, marked as cached and without usage; or those of `run`, which are stored.
 *
 * Only cases with `prompt_source_files` are cached, because otherwise it is unknown what an output depends on. The key is
 * computed from those files, the input, the command, the tier, the sides of an A/B test and the repeat. Failed outputs are not
 * stored.
 */
import { readFile } from "node:fs/promises";
import { relative } from "node:path";
import { cacheKeyOf } from "../cache/cache-key.ts";
import { openCache } from "../cache/eval-cache.ts";
import type { EvalCase } from "../cases/index.ts";
import type { CaseOutput, CaseOutputs } from "./case-output.ts";

export interface CachePlace {
  readonly home: string;
  readonly suite: string;
  readonly tier: string;
  readonly argv: readonly string[];
  readonly repeat: number;
}

export async function cachedOutputs(
  run: () => Promise<CaseOutputs>,
  given: EvalCase,
  { home, suite, tier, argv, repeat }: CachePlace,
): Promise<CaseOutputs> {
  if (given.promptSourceFiles.length === 0) return await run();
  const cache = openCache(home);
  const files: Record<string, Uint8Array> = {};
  for (const path of given.promptSourceFiles) files[relative(process.cwd(), path)] = await readFile(path);
  const { comparison = null, tierChain = null } = given;
  const input = { ...given.input, "(command)": argv, "(tier)": tier, "(comparison)": comparison, "(chain)": tierChain };
  const { key, parts } = cacheKeyOf({ files, input, attempt: repeat + 1 });
  const known = (await cache.read(suite, key)) as { outputs?: CaseOutputs } | undefined;
  if (known?.outputs) return each(known.outputs, (one) => ({ ...one, cached: true, usage: [] }));
  const outputs = await run();
  const all = listOf(outputs);
  if (all.every(({ error }) => error === undefined)) {
    const usage = all.flatMap((one) => one.usage ?? []);
    await cache.write(suite, key, { outputs, usage }, { caseName: given.name, parts });
  }
  return outputs;
}

function listOf(outputs: CaseOutputs): readonly CaseOutput[] {
  switch (outputs.kind) {
    case "one":
      return [outputs.one];
    case "ab":
      return [outputs.control, outputs.treatment];
    case "chain":
      return outputs.steps;
  }
}

function each(outputs: CaseOutputs, change: (one: CaseOutput) => CaseOutput): CaseOutputs {
  switch (outputs.kind) {
    case "one":
      return { kind: "one", one: change(outputs.one) };
    case "ab":
      return { kind: "ab", control: change(outputs.control), treatment: change(outputs.treatment) };
    case "chain":
      return { kind: "chain", steps: outputs.steps.map(change) };
  }
}
