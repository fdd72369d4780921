/**
 * The boundaries between the parts of the project.
 *
 * - `findFaults(tree)` every import or use that crosses one, as `file:line problem`. A tree without files is an error.
 */
import { dirname } from "node:path";
import { isTest, unitPathOf } from "./file-kind.ts";
import { alsoAllowed, layers, narrowEntryPoints, onlyThese, quickFolders, systemLayer, usedOnlyBy } from "./layers.ts";
import type { SourceFile } from "./source-file.ts";
import { resolveImport, type SourceTree, type Target, type Unit } from "./source-tree.ts";
import { testSupportFaults } from "./test-support.ts";

export function findFaults(tree: SourceTree): string[] {
  const seen = tree.files.filter(({ path }) => unitPathOf(path) !== undefined);
  if (seen.length === 0) return ["no source files were seen in apps/ and packages/: the check itself is broken"];
  return [
    ...tree.units.flatMap(unplacedUnit),
    ...tree.files.flatMap((file) => [...importFaults(file, tree), ...bunFaults(file), ...environmentFaults(file)]),
    ...testSupportFaults(tree),
  ];
}

function unplacedUnit({ path }: Unit): string[] {
  return path in layers ? [] : [`${path}/package.json add ${path} to a layer in scripts/boundaries/layers.ts`];
}

function importFaults(file: SourceFile, tree: SourceTree): string[] {
  return file.imports.flatMap(({ specifier, line }) => {
    const target = resolveImport(file.path, specifier, tree);
    const reason = quickReason(file, specifier, target) ?? (target && importReason(file, target, tree));
    return reason ? [`${file.path}:${line} imports ${specifier}: ${reason}`] : [];
  });
}

function importReason(file: SourceFile, target: Target, tree: SourceTree): string | undefined {
  const from = unitPathOf(file.path);
  return doorReason(file, from, target, tree) ?? (from ? directionReason(file, from, target) : undefined);
}

/** Outside a package, or a folder with an index.ts, only the entry point is imported. */
function doorReason(file: SourceFile, from: string | undefined, target: Target, tree: SourceTree): string | undefined {
  if (target.path === undefined) {
    const { entryPoints = {} } = tree.units.find(({ path }) => path === target.unit) ?? {};
    return `${target.unit} has no such entry point; use one of ${Object.keys(entryPoints).join(", ") || "none"}`;
  }
  if (target.entryPoint !== undefined) return undefined;
  if (target.unit !== from) {
    return target.unit === undefined ? undefined : `import the entry point of ${target.unit}, not its files`;
  }
  // A test may import files inside its own package.
  const folder = isTest(file.path) ? undefined : closedFolder(file.path, target.path, tree);
  return folder && `${folder} has an entry point: import its index.ts`;
}

function closedFolder(from: string, to: string, { paths }: SourceTree): string | undefined {
  for (let folder = dirname(to); folder !== "." && !from.startsWith(`${folder}/`); folder = dirname(folder)) {
    const entryPoint = `${folder}/index.ts`;
    if (paths.has(entryPoint) && to !== entryPoint) return folder;
  }
  return undefined;
}

function directionReason(file: SourceFile, from: string, { unit, entryPoint, path }: Target): string | undefined {
  // Data that ships with the product may be read by anyone.
  if (path?.startsWith("schemas/")) return undefined;
  if (unit === undefined) return "apps and packages import nothing of scripts, bench and tests";
  if (unit === from || isTest(file.path)) return undefined;
  const [own = 0, other = 0] = [layers[from], layers[unit]];
  if (unit === "packages/testkit") return "testkit is for tests";
  const narrow = onlyThese[from];
  if (narrow) {
    const isOpen = narrowEntryPoints.some(([a, b, one]) => a === from && b === unit && one === entryPoint);
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
  // The collector runs inside users' programs, without the rest of Devflow.
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
