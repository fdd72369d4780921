/**
 * The boundaries between the parts of the project.
 *
 * - `findFaults(tree)` every import or use that crosses one, as `file:line what is wrong`. A tree without files is a fault.
 * - `unitPathOf(path)` the app or package that a file is in; `isTest(path)` whether it is there for tests only.
 */
import { dirname, posix } from "node:path";
import { alsoAllowed, layers, narrowDoors, onlyThese, quickFolders, systemLayer, usedOnlyBy } from "./layers.ts";
import type { SourceFile } from "./source-file.ts";
import type { SourceTree, Unit } from "./source-tree.ts";

export function findFaults(tree: SourceTree): string[] {
  const seen = tree.files.filter(({ path }) => unitPathOf(path) !== undefined);
  if (seen.length === 0) return ["no source files were seen in apps/ and packages/: the check itself is broken"];
  return [
    ...tree.units.flatMap(unplacedUnit),
    ...tree.files.flatMap((file) => [...importFaults(file, tree), ...bunFaults(file), ...environmentFaults(file)]),
  ];
}

function unplacedUnit({ path }: Unit): string[] {
  return path in layers
    ? []
    : [`${path}/package.json say in scripts/boundaries/layers.ts which layer ${path} belongs to`];
}

function importFaults(file: SourceFile, tree: SourceTree): string[] {
  return file.imports.flatMap(({ specifier, line }) => {
    const target = resolve(file, specifier, tree);
    const reason = quickReason(file, specifier, target) ?? (target && importReason(file, target, tree));
    return reason ? [`${file.path}:${line} imports ${specifier}: ${reason}`] : [];
  });
}

interface Target {
  /** Undefined in scripts, bench and tests. */
  readonly unit: string | undefined;
  /** For relative imports: the file. */
  readonly path?: string;
  /** For imports by name: what stands behind the package's name. */
  readonly door?: string;
}

function resolve(file: SourceFile, specifier: string, { units }: SourceTree): Target | undefined {
  if (specifier.startsWith(".")) {
    const path = posix.join(dirname(file.path), specifier);
    return { unit: unitPathOf(path), path };
  }
  const unit = units.find(({ name }) => specifier === name || specifier.startsWith(`${name}/`));
  return unit && { unit: unit.path, door: `.${specifier.slice(unit.name.length)}` };
}

function importReason(file: SourceFile, target: Target, tree: SourceTree): string | undefined {
  const from = unitPathOf(file.path);
  return doorReason(file, from, target, tree) ?? (from ? directionReason(file, from, target) : undefined);
}

/** Nothing outside a package, or outside a folder that has an index.ts, imports past it. */
function doorReason(file: SourceFile, from: string | undefined, target: Target, tree: SourceTree): string | undefined {
  if (target.path === undefined) {
    const { exports = [] } = tree.units.find(({ path }) => path === target.unit) ?? {};
    const isOpen = exports.some(
      (door) => door === target.door || (door.endsWith("/*") && target.door?.startsWith(door.slice(0, -1))),
    );
    return isOpen ? undefined : `${target.unit} has no such door; use one of ${exports.join(", ") || "none"}`;
  }
  if (target.unit !== from) {
    return target.unit === undefined ? undefined : `go through the door of ${target.unit}, not into its files`;
  }
  // A test of a part may look inside its own package.
  const folder = isTest(file.path) ? undefined : closedFolder(file.path, target.path, tree);
  return folder && `${folder} has a door: import its index.ts`;
}

function closedFolder(from: string, to: string, { paths }: SourceTree): string | undefined {
  for (let folder = dirname(to); folder !== "." && !from.startsWith(`${folder}/`); folder = dirname(folder)) {
    const door = `${folder}/index.ts`;
    if (paths.has(door) && to !== door) return folder;
  }
  return undefined;
}

function directionReason(file: SourceFile, from: string, { unit, door, path }: Target): string | undefined {
  // Data that ships with the product, whoever reads it.
  if (path?.startsWith("schemas/")) return undefined;
  if (unit === undefined) return "apps and packages import nothing of scripts, bench and tests";
  if (unit === from || isTest(file.path)) return undefined;
  const [own = 0, other = 0] = [layers[from], layers[unit]];
  if (unit === "packages/testkit") return "testkit is for tests";
  const narrow = onlyThese[from];
  if (narrow) {
    const isOpen = narrowDoors.some(([a, b, one]) => a === from && b === unit && one === door);
    return isOpen || narrow.units.includes(unit) ? undefined : narrow.why;
  }
  const users = usedOnlyBy[unit];
  if (users && !users.includes(from) && from !== "packages/testkit")
    return `only ${users.join(" and ")} may use ${unit}`;
  if (other < own || alsoAllowed.some(([a, b]) => a === from && b === unit)) return undefined;
  if (own === systemLayer && other === systemLayer)
    return "a system never imports another; declare an interface and let an app supply it";
  return `${from} may not import ${unit}: the direction is apps → systems → session | harness → leaves → core`;
}

function quickReason(file: SourceFile, specifier: string, target: Target | undefined): string | undefined {
  const folder = quickFolders.map((pattern) => pattern.exec(file.path)?.[0]).find(Boolean);
  if (folder === undefined || isTest(file.path) || specifier.startsWith("node:")) return undefined;
  if (target?.unit === "packages/core" || target?.path?.startsWith(folder)) return undefined;
  return `${folder} imports core and built-ins only, so that it starts fast`;
}

function bunFaults(file: SourceFile): string[] {
  const isProcess = /^(?:apps|scripts|bench|tests)\//.test(file.path) && !file.path.startsWith("apps/web/");
  if (isProcess || isTest(file.path) || file.path.startsWith("packages/testkit/")) return [];
  const why = "Bun only where a process is composed (apps, scripts, bench) and in tests; use node: or web APIs";
  return file.bun.map(({ what, line }) => `${file.path}:${line} uses ${what}: ${why}`);
}

function environmentFaults(file: SourceFile): string[] {
  const isExempt = /^(?:scripts|bench|tests|packages\/testkit)\//.test(file.path) || isTest(file.path);
  // The collector runs inside other people's programs, without the rest of Devflow.
  const mayRead = [
    "packages/core/src/config.ts",
    "packages/core/src/environment.ts",
    "packages/evals/src/collector.ts",
  ];
  if (isExempt || mayRead.includes(file.path)) return [];
  return file.environment.map(
    (line) => `${file.path}:${line} reads process.env: only packages/core/src/config.ts does`,
  );
}

export function unitPathOf(path: string): string | undefined {
  return /^(?:apps|packages)\/[^/]+/.exec(path)?.[0];
}

/** Tests, and what only they use: `*.test.ts` and folders called test, tests or testing. */
export function isTest(path: string): boolean {
  return /\.test\.[jt]sx?$/.test(path) || /\/test(?:s|ing)?\//.test(path);
}
