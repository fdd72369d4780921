/**
 * Which tests a change can break, by the imports between packages.
 *
 * - `affectedTests(tree, changed)` every affected test file with its distance: 0 in the changed package, 1 in packages that
 *   import it, and so on.
 *
 * A package depends on another when its product code imports it; its tests depend on what they import themselves. The
 * testkit leads from every test to everything, so it counts only when it changed itself. Programs that are spawned by path
 * are not seen, except that everything in `tests/` tests the whole product and so depends on the command line.
 */
import { dirname, posix } from "node:path";
import { isTest, unitPathOf } from "../../boundaries/file-kind.ts";
import type { SourceFile } from "../../boundaries/source-file.ts";
import type { SourceTree } from "../../boundaries/source-tree.ts";

export interface Affected {
  /** The packages, or folders outside packages, where something changed that can affect a test. */
  readonly origins: readonly string[];
  /** Test file → distance. */
  readonly distances: ReadonlyMap<string, number>;
}

const testkit = "packages/testkit";
const commandLine = "apps/cli";
/** These determine the installed packages, so they can affect every test. */
const everywhere = new Set(["package.json", "package-lock.json"]);
/** Shipped inside the executable, but imported by nothing. */
const shipped = /^(?:schemas|skills)\//;

export function affectedTests(tree: SourceTree, changed: readonly string[]): Affected {
  const seen = changed.filter(canMatter);
  const tests = tree.files.filter(({ path }) => isTestFile(path));
  const graph = readGraph(tree);
  const all = seen.filter((path) => everywhere.has(path));
  const product = seen.filter((path) => !isTest(path));
  const sources = new Set(product.flatMap((path) => originOf(path) ?? []));
  const supports = new Set(seen.filter(isSupport).flatMap((path) => unitPathOf(path) ?? []));
  const units = distancesFrom(sources, graph.importers);
  const distances = new Map<string, number>();
  for (const { path } of tests) {
    const found = [
      ...(seen.includes(path) ? [0] : []),
      ...(all.length > 0 ? [1] : []),
      ...distanceOf(path, units, graph),
      ...supportDistance(path, seen, supports, graph),
    ];
    if (found.length > 0) distances.set(path, Math.min(...found));
  }
  return { origins: [...new Set(seen.map((path) => unitPathOf(path) ?? path))].sort(), distances };
}

/** Documentation and settings of the checking tools affect no test. */
function canMatter(path: string): boolean {
  const isInside = /^(?:apps|packages|scripts|bench|tests|schemas|skills)\//.test(path);
  return everywhere.has(path) || (isInside && posix.basename(path) !== "README.md");
}

function originOf(path: string): string | undefined {
  return unitPathOf(path) ?? (shipped.test(path) ? commandLine : undefined);
}

interface Graph {
  /** Unit → the units whose product code imports it. */
  readonly importers: ReadonlyMap<string, ReadonlySet<string>>;
  /** File → the files that it reaches by relative imports, itself included. */
  reach(path: string): ReadonlySet<string>;
  /** File → the units that it, or what it reaches, imports by name. */
  unitsOf(path: string): ReadonlySet<string>;
}

function readGraph({ files, units }: SourceTree): Graph {
  const known = new Map(files.map((file) => [file.path, file]));
  const unitNamed = (specifier: string) =>
    units.find(({ name }) => specifier === name || specifier.startsWith(`${name}/`))?.path;
  const importers = new Map<string, Set<string>>();
  for (const file of files) {
    const from = unitPathOf(file.path);
    if (from === undefined || from === testkit || isTest(file.path)) continue;
    for (const { specifier } of file.imports) {
      const to = specifier.startsWith(".") ? undefined : unitNamed(specifier);
      if (to !== undefined && to !== from) importers.set(to, (importers.get(to) ?? new Set()).add(from));
    }
  }
  const reach = (path: string): Set<string> => {
    const found = new Set([path]);
    for (const one of found) for (const next of relativeImports(known.get(one))) found.add(next);
    return found;
  };
  const unitsOf = (path: string) =>
    new Set(
      [...reach(path)].flatMap(
        (one) => known.get(one)?.imports.flatMap(({ specifier }) => unitNamed(specifier) ?? []) ?? [],
      ),
    );
  return { importers, reach, unitsOf };
}

function relativeImports(file: SourceFile | undefined): string[] {
  const relative = file?.imports.filter(({ specifier }) => specifier.startsWith(".")) ?? [];
  return relative.map(({ specifier }) => posix.join(dirname(file?.path ?? ""), specifier));
}

function distancesFrom(
  origins: ReadonlySet<string>,
  importers: ReadonlyMap<string, ReadonlySet<string>>,
): ReadonlyMap<string, number> {
  const distances = new Map([...origins].map((unit) => [unit, 0]));
  for (const [unit, distance] of distances) {
    for (const importer of importers.get(unit) ?? []) {
      if (!distances.has(importer)) distances.set(importer, distance + 1);
    }
  }
  return distances;
}

/** By the package that contains the test, and by those that it imports. */
function distanceOf(test: string, units: ReadonlyMap<string, number>, { unitsOf }: Graph): number[] {
  const own = units.get(unitPathOf(test) ?? "");
  const imported = [...unitsOf(test), ...(test.startsWith("tests/") ? [commandLine] : [])];
  return [
    ...(own === undefined ? [] : [own]),
    ...imported.flatMap((unit) => {
      const distance = units.get(unit);
      return distance === undefined ? [] : [distance + 1];
    }),
  ];
}

/** Test support, and files outside packages, affect the tests that import them or are next to them. */
function supportDistance(
  test: string,
  changed: readonly string[],
  supports: ReadonlySet<string>,
  { reach, unitsOf }: Graph,
): number[] {
  const reached = reach(test);
  const isNear = changed
    .filter((path) => isSupport(path) || unitPathOf(path) === undefined)
    .some((path) => !isTestFile(path) && (reached.has(path) || isBeside(path, test)));
  if (isNear) return [0];
  const own = unitPathOf(test);
  const isSupported = [...unitsOf(test)].some((unit) => unit !== own && supports.has(unit));
  return isSupported ? [1] : [];
}

/** In the test's folder, or below it if that folder has one subject. */
function isBeside(path: string, test: string): boolean {
  const folder = dirname(test);
  return dirname(path) === folder || (folder.includes("/") && path.startsWith(`${folder}/`));
}

function isSupport(path: string): boolean {
  return isTest(path) && !isTestFile(path);
}

function isTestFile(path: string): boolean {
  return /\.test\.tsx?$/.test(path);
}
