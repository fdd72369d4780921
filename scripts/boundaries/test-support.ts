/**
 * Test support is separate from the product: in `tests/`, `testing/` or the testkit, never in `src/`.
 *
 * - `testSupportFaults(tree)` files under a product's `src/` that only tests and benchmarks use, and product code that imports test support.
 */
import { isTest, isTestCode } from "./file-kind.ts";
import { resolveImport, type SourceTree } from "./source-tree.ts";

export function testSupportFaults(tree: SourceTree): string[] {
  const importers = importersOf(tree);
  const entries = new Set(
    tree.units.flatMap(({ entryPoints, programs }) => [...Object.values(entryPoints), ...programs]),
  );
  const sources = tree.files
    .map(({ path }) => path)
    .filter((path) => isProductSource(path) && !path.includes(".test."));
  return [
    ...sources
      .filter(isTest)
      .map((path) => `${path} is test support under src/: move it to the tests/ or testing/ folder of its package`),
    ...usedByTestsOnly(sources, importers, entries).map(
      (path) => `${path} is imported by tests only: move it to the tests/ or testing/ folder of its package`,
    ),
    ...tree.files.flatMap(({ path, imports }) =>
      isProductSource(path) && !isTest(path)
        ? imports.flatMap(({ specifier, line }) => {
            const target = resolveImport(path, specifier, tree)?.path;
            return target !== undefined && isTest(target)
              ? [`${path}:${line} imports ${specifier}: test support is for tests`]
              : [];
          })
        : [],
    ),
  ];
}

function isProductSource(path: string): boolean {
  return /^(?:apps|packages)\/[^/]+\/src\//.test(path) && !path.startsWith("packages/testkit/");
}

function importersOf(tree: SourceTree): Map<string, Set<string>> {
  const importers = new Map<string, Set<string>>();
  for (const { path, imports } of tree.files) {
    for (const { specifier } of imports) {
      const target = resolveImport(path, specifier, tree)?.path;
      if (target === undefined || target === path) continue;
      importers.set(target, (importers.get(target) ?? new Set()).add(path));
    }
  }
  return importers;
}

/** Including files that only such files import. Files that nothing imports are left to knip. */
function usedByTestsOnly(
  sources: readonly string[],
  importers: ReadonlyMap<string, ReadonlySet<string>>,
  entries: ReadonlySet<string>,
): string[] {
  const candidates = sources.filter((path) => !isTest(path) && !entries.has(path));
  const found = new Set<string>();
  for (let before = -1; before < found.size; ) {
    before = found.size;
    for (const path of candidates) {
      const users = [...(importers.get(path) ?? [])];
      if (users.length > 0 && users.every((user) => isTestCode(user) || found.has(user))) found.add(path);
    }
  }
  return [...found].sort();
}
