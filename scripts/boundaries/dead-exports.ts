/**
 * Unused exports of entry points. A linter assumes that the exports of a package's entry points are used; this check follows them.
 *
 * An entry point is a file that package.json exports, or the `index.ts` of a folder. A name it exports is needed when a file outside
 * imports the name, from it or through another entry point. Tests and benchmarks count only for types and for the entry points of test
 * support. A type next to the functions that use it is needed with them; one that an entry point lists by name has to be imported.
 *
 * - `deadExports(tree)` one line for each such name, and for each entry point of package.json that nothing outside the package imports.
 */
import { dirname } from "node:path";
import { isTestCode, unitPathOf } from "./file-kind.ts";
import type { ExportedName, Names } from "./module-names.ts";
import type { SourceFile } from "./source-file.ts";
import { resolveImport, type SourceTree } from "./source-tree.ts";

/** Entry points for programs outside this repository. */
const usedByOthers: Readonly<Record<string, string>> = {
  "packages/evals/src/collector.ts": "users' programs collect their results with it",
};

export function deadExports(tree: SourceTree): string[] {
  const graph = new ModuleGraph(tree);
  const names = entryPointsOf(tree)
    .filter((entryPoint) => !isLeftAlone(entryPoint))
    .flatMap((entryPoint) =>
      [...graph.exportsOf(entryPoint)]
        .filter(([name]) => !graph.isNeeded(entryPoint, name) && !graph.isPartOfSignature(entryPoint, name))
        .map(
          ([name, { path, line }]) => `${entryPoint} exports ${name} (${path}:${line}), but nothing outside uses it`,
        ),
    );
  return [...names, ...deadEntryPoints(tree, graph)];
}

function deadEntryPoints({ units }: SourceTree, graph: ModuleGraph): string[] {
  return units.flatMap(({ path: unit, entryPoints }) =>
    Object.entries(entryPoints)
      .filter(([entryPoint, path]) => !entryPoint.includes("*") && !isLeftAlone(path) && !graph.isEntered(path, unit))
      .map(([entryPoint]) => `${unit}/package.json exports ${entryPoint}, but nothing outside ${unit} imports it`),
  );
}

const isLeftAlone = (entryPoint: string): boolean => entryPoint in usedByOthers;

function entryPointsOf({ units, paths }: SourceTree): string[] {
  const folders = [...paths].filter((path) => unitPathOf(path) !== undefined && path.endsWith("/index.ts"));
  const entries = units
    .flatMap(({ entryPoints }) => Object.values(entryPoints))
    .flatMap((target) => {
      const [before = "", after] = target.split("*");
      if (after === undefined) return [target];
      const isMeant = (path: string) => path.startsWith(before) && path.endsWith(after) && !path.includes(".test.");
      return [...paths].filter((path) => isMeant(path) && !path.slice(before.length).includes("/"));
    });
  return [...new Set([...entries, ...folders])].sort();
}

interface Origin {
  readonly path: string;
  readonly line: number;
  readonly isType: boolean;
}

class ModuleGraph {
  private readonly files: ReadonlyMap<string, SourceFile>;
  private readonly uses = new Map<string, { readonly file: string; readonly names: Names }[]>();
  private readonly passedOnBy = new Map<
    string,
    { readonly file: string; readonly name: string; readonly as: string }[]
  >();
  private readonly origins = new Map<string, Map<string, Origin>>();
  private readonly tree: SourceTree;

  constructor(tree: SourceTree) {
    this.tree = tree;
    this.files = new Map(tree.files.map((file) => [file.path, file]));
    for (const { path, imports, exports, passedOn } of tree.files) {
      for (const { specifier, names } of imports) add(this.uses, this.resolve(path, specifier), { file: path, names });
      for (const { specifier } of passedOn)
        add(this.passedOnBy, this.resolve(path, specifier), { file: path, name: "*", as: "*" });
      for (const { name: as, from } of exports)
        if (from) add(this.passedOnBy, this.resolve(path, from.specifier), { file: path, name: from.name, as });
    }
  }

  /** Every name that a module exports, with the location of its declaration. */
  exportsOf(path: string): ReadonlyMap<string, Origin> {
    const known = this.origins.get(path);
    if (known) return known;
    const found = new Map<string, Origin>();
    this.origins.set(path, found);
    const { exports = [], passedOn = [] } = this.files.get(path) ?? {};
    for (const { specifier, isTypeOnly } of passedOn) {
      for (const [name, origin] of this.exportsOf(this.resolve(path, specifier) ?? ""))
        if (origin.isType || !isTypeOnly) found.set(name, origin);
    }
    for (const one of exports) found.set(one.name, this.declared(path, one));
    return found;
  }

  isNeeded(entryPoint: string, name: string): boolean {
    const home = entryPoint.endsWith("/index.ts") ? `${dirname(entryPoint)}/` : entryPoint;
    const mayBeTest = isTestCode(entryPoint) || this.exportsOf(entryPoint).get(name)?.isType;
    const isOutside = (file: string) => !file.startsWith(home) && (mayBeTest || !isTestCode(file));
    const seen = new Set<string>();
    const isUsed = (path: string, called: string): boolean => {
      const key = `${path} ${called}`;
      if (seen.has(key)) return false;
      seen.add(key);
      const uses = this.uses.get(path) ?? [];
      if (uses.some(({ file, names }) => isOutside(file) && (names === "all" || names.includes(called)))) return true;
      const next = this.passedOnBy.get(path) ?? [];
      return next.some(({ file, name: one, as }) =>
        one === "*" ? isUsed(file, called) : one === called && isUsed(file, as),
      );
    };
    return isUsed(entryPoint, name);
  }

  /** A type that is not listed by name, and that something in the entry point's unit mentions besides its declaration. */
  isPartOfSignature(entryPoint: string, name: string): boolean {
    const isListed = this.files.get(entryPoint)?.exports.some((one) => one.name === name && one.from);
    if (isListed || !this.exportsOf(entryPoint).get(name)?.isType) return false;
    const unit = `${unitPathOf(entryPoint)}/`;
    let count = 0;
    for (const { path, mentions } of this.tree.files) {
      if (path.startsWith(unit) && (isTestCode(entryPoint) || !isTestCode(path))) count += mentions.get(name) ?? 0;
    }
    return count > 1;
  }

  /** Whether anything outside the unit imports the entry point. */
  isEntered(entryPoint: string, unit: string): boolean {
    const uses = this.uses.get(entryPoint) ?? [];
    return uses.some(({ file }) => !file.startsWith(`${unit}/`) && (isTestCode(entryPoint) || !isTestCode(file)));
  }

  private declared(path: string, { line, isType, from }: ExportedName): Origin {
    const source = from && this.exportsOf(this.resolve(path, from.specifier) ?? "").get(from.name);
    return source ?? { path, line, isType };
  }

  private resolve(from: string, specifier: string): string | undefined {
    return resolveImport(from, specifier, this.tree)?.path;
  }
}

function add<T>(map: Map<string, T[]>, key: string | undefined, value: T): void {
  if (key === undefined) return;
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}
