/**
 * The source files of the project and the units (apps and packages) they belong to.
 *
 * - `readSourceTree(root)` all of them, read; `listSources(root)` their paths alone. Build results, installed packages and fixtures are left out.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readSourceFile, type SourceFile } from "./source-file.ts";

export interface SourceTree {
  readonly files: readonly SourceFile[];
  /** Every path that there is, to tell which folders have a door. */
  readonly paths: ReadonlySet<string>;
  readonly units: readonly Unit[];
}

export interface Unit {
  /** `packages/core`. */
  readonly path: string;
  /** `@devflow/core`. */
  readonly name: string;
  readonly exports: readonly string[];
}

const areas = ["apps", "packages", "scripts", "bench", "tests"];
const leftOut = new Set(["node_modules", "dist", "fixtures", ".cache", "coverage"]);

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
  const manifest = JSON.parse(readFileSync(file, "utf8")) as { name: string; exports?: Record<string, string> };
  return [{ path, name: manifest.name, exports: Object.keys(manifest.exports ?? {}) }];
}
