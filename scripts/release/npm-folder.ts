/**
 * The release as npm packages: `devflow`, a launcher that starts the right executable, and `@devflow/<target>`, the
 * executable of one platform, which npm skips on the others.
 *
 * - `writeNpmFolder(folder, { version, executables, license })`.
 */
import { copyFileSync, linkSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

interface NpmRelease {
  readonly version: string;
  readonly launcher: string;
  readonly license: string;
  /** Target name → path of its executable. */
  readonly executables: ReadonlyMap<string, string>;
}

export function writeNpmFolder(folder: string, { version, launcher, license, executables }: NpmRelease): void {
  rmSync(folder, { recursive: true, force: true });
  const common = {
    version,
    license: "MIT",
    description: "The operating layer for teams that build software with coding agents",
  };
  for (const [target, executable] of executables) {
    const [os, cpu] = target.split("-");
    const own = join(folder, target);
    mkdirSync(join(own, "bin"), { recursive: true });
    linkSync(executable, join(own, "bin/devflow"));
    copyFileSync(license, join(own, "LICENSE"));
    writeJson(join(own, "package.json"), {
      name: `@devflow/${target}`,
      ...common,
      os: [os],
      cpu: [cpu],
      files: ["bin"],
    });
  }
  const main = join(folder, "devflow");
  mkdirSync(join(main, "bin"), { recursive: true });
  copyFileSync(launcher, join(main, "bin/devflow.mjs"));
  copyFileSync(license, join(main, "LICENSE"));
  writeJson(join(main, "package.json"), {
    name: "devflow",
    ...common,
    bin: { devflow: "bin/devflow.mjs" },
    files: ["bin"],
    engines: { node: ">=18" },
    optionalDependencies: Object.fromEntries([...executables.keys()].map((target) => [`@devflow/${target}`, version])),
  });
}

function writeJson(path: string, value: unknown): void {
  writeFileSync(path, `${JSON.stringify(value, undefined, 2)}\n`);
}
