/**
 * What changed between two versions of a file for those who use it.
 *
 * - `changedSymbols(before, after)` exported symbols that were removed, or whose signature is another one. Pure.
 */
import type { SymbolAt } from "./read-symbols.ts";

export interface ChangedSymbol {
  readonly name: string;
  readonly change: "removed" | "signature";
  readonly before: string;
  /** Undefined when it was removed. */
  readonly after: string | undefined;
}

export function changedSymbols(before: readonly SymbolAt[], after: readonly SymbolAt[]): ChangedSymbol[] {
  // Overloads share a name; together they are its signature.
  const grouped = (symbols: readonly SymbolAt[]) =>
    new Map(
      [
        ...Map.groupBy(
          symbols.filter(({ isExported }) => isExported),
          ({ name }) => name,
        ),
      ].map(([name, own]) => [name, own.map(({ signature }) => signature).join("; ")]),
    );
  const now = grouped(after);
  return [...grouped(before)].flatMap(([name, signature]): ChangedSymbol[] => {
    const next = now.get(name);
    if (next === signature) return [];
    return [{ name, change: next === undefined ? "removed" : "signature", before: signature, after: next }];
  });
}
