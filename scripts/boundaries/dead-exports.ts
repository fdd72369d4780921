/**
 * Exports that nobody needs, behind doors. A linter takes the exports of a package's entry points for used; this check follows them.
 *
 * A door is a file that package.json exports, or the `index.ts` of a folder. A name it exports is needed when a file outside of it
 * imports the name, from it or through another door. Tests and benchmarks count for types and for the doors of test support only. A type that stands
 * beside the functions that use it is needed with them; one that a door lists by name has to be imported.
 *
 * - `deadExports(tree)` one line for each such name, and for each door of package.json that nothing outside of the package imports.
 */
import { dirname } from "node:path";
import { isTestCode, unitPathOf } from "./file-kind.ts";
import type { ExportedName, Names } from "./module-names.ts";
import type { SourceFile } from "./source-file.ts";
import { resolveImport, type SourceTree } from "./source-tree.ts";

/** Doors for programs that are not in this repository. */
const usedByOthers: Readonly<Record<string, string>> = {
  "packages/evals/src/collector.ts": "programs of users collect their results with it",
};

/** Not cleaned yet: each leaves this list with its unused exports. */
const notYetCleaned: readonly string[] = ["packages/runs", "packages/session"];

export function deadExports(tree: SourceTree): string[] {
  const graph = new ModuleGraph(tree);
  const names = doorsOf(tree)
    .filter((door) => !isLeftAlone(door))
    .flatMap((door) =>
      [...graph.exportsOf(door)]
        .filter(([name]) => !graph.isNeeded(door, name) && !graph.isPartOfSignature(door, name))
        .map(([name, { path, line }]) => `${door} exports ${name} (${path}:${line}), and nothing outside uses it`),
    );
  return [...names, ...deadDoors(tree, graph)];
}

function deadDoors({ units }: SourceTree, graph: ModuleGraph): string[] {
  return units.flatMap(({ path: unit, doors }) =>
    Object.entries(doors)
      .filter(([door, path]) => !door.includes("*") && !isLeftAlone(path) && !graph.isEntered(path, unit))
      .map(([door]) => `${unit}/package.json exports ${door}, and nothing outside of ${unit} imports it`),
  );
}

function isLeftAlone(door: string): boolean {
  return door in usedByOthers || notYetCleaned.includes(unitPathOf(door) ?? "");
}

function doorsOf({ units, paths }: SourceTree): string[] {
  const folders = [...paths].filter((path) => unitPathOf(path) !== undefined && path.endsWith("/index.ts"));
  const entries = units
    .flatMap(({ doors }) => Object.values(doors))
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

  /** Every name that a module exports, with the place where it is declared. */
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

  isNeeded(door: string, name: string): boolean {
    const home = door.endsWith("/index.ts") ? `${dirname(door)}/` : door;
    const mayBeTest = isTestCode(door) || this.exportsOf(door).get(name)?.isType;
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
    return isUsed(door, name);
  }

  /** A type that is not listed by name, and that something in the door's unit mentions besides its declaration. */
  isPartOfSignature(door: string, name: string): boolean {
    const isListed = this.files.get(door)?.exports.some((one) => one.name === name && one.from);
    if (isListed || !this.exportsOf(door).get(name)?.isType) return false;
    const unit = `${unitPathOf(door)}/`;
    let count = 0;
    for (const { path, mentions } of this.tree.files) {
      if (path.startsWith(unit) && (isTestCode(door) || !isTestCode(path))) count += mentions.get(name) ?? 0;
    }
    return count > 1;
  }

  /** Does anything outside of the unit import the door? */
  isEntered(door: string, unit: string): boolean {
    const uses = this.uses.get(door) ?? [];
    return uses.some(({ file }) => !file.startsWith(`${unit}/`) && (isTestCode(door) || !isTestCode(file)));
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
