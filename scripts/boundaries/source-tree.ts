/**
 * The source files of the project and the units (apps and packages) they belong to.
 *
 * - `readSourceTree(root)` all of them, read; `listSources(root)` only their paths. Build output and installed packages are excluded.
 * - `resolveImport(from, specifier, tree)` the unit and the file that an import refers to.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { unitPathOf } from "./file-kind.ts";
import { readSourceFile, type SourceFile } from "./source-file.ts";

export interface SourceTree {
  readonly files: readonly SourceFile[];
  /** Every existing path, to know which folders have an entry point. */
  readonly paths: ReadonlySet<string>;
  readonly units: readonly Unit[];
}

export interface Unit {
  /** `packages/core`. */
  readonly path: string;
  /** `@devflow/core`. */
  readonly name: string;
  /** What package.json exports: `./compare` and its file, from the root. A star matches one name in both. */
  readonly entryPoints: Readonly<Record<string, string>>;
  /** The programs of package.json's `bin`. */
  readonly programs: readonly string[];
}

const areas = ["apps", "packages", "scripts", "bench", "tests"];
const leftOut = new Set(["node_modules", "dist", ".cache", "coverage"]);

/** Their paths from the root. */
export function listSources(root: string): string[] {
  return areas.flatMap((area) => list(root, area));
}

export function readSourceTree(root: string): SourceTree {
  const paths = listSources(root);
  const files = paths.map((path) => readSourceFile(path, readFileSync(join(root, path), "utf8")));
  const units = ["apps", "packages"].flatMap((area) => folders(root, area)).flatMap((path) => readUnit(root, path));
  return { files, paths: new Set(paths), units };
}

function list(root: string, folder: string): string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return leftOut.has(entry.name) ? [] : list(root, path);
    return /\.(?:[cm]?[jt]s|[jt]sx)$/.test(entry.name) && !entry.name.endsWith(".d.ts") ? [path] : [];
  });
}

function folders(root: string, area: string): string[] {
  if (!existsSync(join(root, area))) return [];
  const entries = readdirSync(join(root, area), { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map((entry) => `${area}/${entry.name}`);
}

function readUnit(root: string, path: string): Unit[] {
  const file = join(root, path, "package.json");
  if (!existsSync(file)) return [];
  const { name, exports, bin } = JSON.parse(readFileSync(file, "utf8")) as Manifest;
  const fromRoot = ([entryPoint, target]: [string, string]): [string, string] => [entryPoint, posix.join(path, target)];
  const entryPoints = Object.fromEntries(Object.entries(exports ?? {}).map(fromRoot));
  return [{ path, name, entryPoints, programs: Object.values(bin ?? {}).map((program) => posix.join(path, program)) }];
}

interface Manifest {
  readonly name: string;
  readonly exports?: Record<string, string>;
  readonly bin?: Record<string, string>;
}

export interface Target {
  /** Undefined in scripts, bench and tests. */
  readonly unit: string | undefined;
  /** The file; undefined for an entry point that the unit does not have. */
  readonly path: string | undefined;
  /** For imports by name: the part after the package's name. */
  readonly entryPoint?: string;
}

/** Undefined for anything outside this project. */
export function resolveImport(from: string, specifier: string, { units }: SourceTree): Target | undefined {
  if (specifier.startsWith(".")) {
    const path = posix.join(dirname(from), specifier);
    return { unit: unitPathOf(path), path };
  }
  const unit = units.find(({ name }) => specifier === name || specifier.startsWith(`${name}/`));
  if (!unit) return undefined;
  const entryPoint = `.${specifier.slice(unit.name.length)}`;
  const behind = Object.entries(unit.entryPoints).flatMap(([name, path]) => {
    const [before = "", after] = name.split("*");
    if (after === undefined) return name === entryPoint ? [path] : [];
    return entryPoint.startsWith(before) ? [path.replace("*", entryPoint.slice(before.length))] : [];
  });
  return { unit: unit.path, path: behind[0], entryPoint };
}
