/**
 * What a person asks about: a file, a line of it, or a symbol.
 *
 * - `parseTarget(text)` `src/a.ts:42`, `src/a.ts:42:7` (as compilers print it), `src/a.ts:take`, `src/a.ts`, `Limiter.take`. Whether a
 *   word without a slash is a file or a symbol is for the caller, who can look.
 */
export interface WhyTarget {
  readonly path: string;
  readonly line?: number;
  readonly symbol?: string;
}

export function parseTarget(text: string): WhyTarget {
  const [, path, line] = /^(.+?):(\d{1,9})(?::\d{1,9})?$/.exec(text) ?? [];
  if (path !== undefined && line !== undefined && Number(line) > 0) return { path, line: Number(line) };
  const [, file, symbol] = /^(.+?):([A-Za-z_$#][\w$.#]*)$/.exec(text) ?? [];
  if (file !== undefined && symbol !== undefined) return { path: file, symbol };
  return { path: text };
}
