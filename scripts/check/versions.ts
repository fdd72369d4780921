/**
 * Checks that the version is the same everywhere.
 *
 * - `versionFaults(root)` manifests, dependencies among our packages, the lock file, `core/version.ts` or the changelog with
 *   a version other than package.json's.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

interface Manifest {
  readonly version?: string;
  readonly dependencies?: Record<string, string>;
  readonly devDependencies?: Record<string, string>;
}

export function versionFaults(root: string): string[] {
  const read = (path: string): string => (existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : "{}");
  const { version } = JSON.parse(read("package.json")) as Manifest;
  if (!version) return ["package.json has no version"];
  const faults: string[] = [];
  const compare = (where: string, found: string | undefined) => {
    if (found !== version) faults.push(`${where} has version ${found ?? "none"}, package.json has ${version}`);
  };

  for (const unit of units(root)) {
    const path = `${unit}/package.json`;
    const manifest = JSON.parse(read(path)) as Manifest;
    compare(path, manifest.version);
    for (const [name, wanted] of Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })) {
      if (name.startsWith("@devflow/")) compare(`${path} (${name})`, wanted);
    }
  }
  const lock = JSON.parse(read("package-lock.json")) as Manifest & { packages?: Record<string, Manifest> };
  compare("package-lock.json", lock.version);
  for (const unit of units(root)) compare(`package-lock.json (${unit})`, lock.packages?.[unit]?.version);
  compare("packages/core/src/version.ts", /version = "([^"]+)"/.exec(read("packages/core/src/version.ts"))?.[1]);
  compare("CHANGELOG.md", /^## (\d\S*)/m.exec(read("CHANGELOG.md"))?.[1]);
  return faults;
}

function units(root: string): string[] {
  return ["apps", "packages"].flatMap((area) =>
    readdirSync(join(root, area))
      .map((name) => `${area}/${name}`)
      .filter((unit) => existsSync(join(root, unit, "package.json"))),
  );
}
