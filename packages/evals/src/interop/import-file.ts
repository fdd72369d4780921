/**
 * `importFile(path | stream, options)` yields every run in a file of any supported format. Read a run's results before the next run:
 * the temporary copy of a stream is removed after the last run.
 */

import { defaultLimits } from "../results/limits.ts";
import type { ImportedRun } from "../results/result.ts";
import { type ImportInput, openSource } from "../results/source.ts";
import { defaultPassAt, type ImportOptions } from "./importer.ts";
import { importerNamed, sniff } from "./sniff.ts";

export async function* importFile(input: ImportInput, options: ImportOptions = {}): AsyncGenerator<ImportedRun> {
  const limits = { ...defaultLimits, ...options.limits };
  const source = await openSource(input, options.name, {
    limits,
    signal: options.signal,
    ...(options.format === undefined ? { checkHead: (head, name) => void sniff(name, head) } : {}),
  });
  try {
    const importer =
      options.format === undefined ? sniff(source.name, await source.head()) : importerNamed(options.format);
    const passAt = options.passAt ?? defaultPassAt;
    const reading = { source, options, limits, lenient: options.lenient ?? false, passAt };
    const contentSha = await source.contentSha();
    for await (const imported of importer.read(reading)) yield Object.assign(imported, { contentSha });
  } finally {
    await source.close();
  }
}
