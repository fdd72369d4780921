/**
 * The built app, as it ships. Built once per state of the sources into a cache folder, so that test files which run at the same time
 * neither build it twice nor see half of it.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

const web = join(import.meta.dirname, "..");
const root = join(web, "../..");

export function builtWeb(): string {
  const folder = join(root, ".cache/web", fingerprint());
  if (existsSync(folder)) return folder;
  const unfinished = `${folder}.${process.pid}`;
  mkdirSync(join(root, ".cache/web"), { recursive: true });
  removeOldBuilds();
  execFileSync(
    "node",
    [join(root, "node_modules/vite/bin/vite.js"), "build", "--outDir", unfinished, "--logLevel", "error"],
    // The test runner's NODE_ENV=test would give React's development build.
    { cwd: web, env: { ...process.env, NODE_ENV: "production" }, stdio: ["ignore", "ignore", "inherit"] },
  );
  try {
    renameSync(unfinished, folder);
  } catch (fault) {
    if (!existsSync(folder)) throw fault;
    rmSync(unfinished, { recursive: true }); // another test file was faster
  }
  return folder;
}

/** Of sources that have changed since; a day is longer than any test run that may still read one. */
function removeOldBuilds(): void {
  const builds = join(root, ".cache/web");
  for (const name of readdirSync(builds)) {
    const path = join(builds, name);
    if (Date.now() - statSync(path).mtimeMs > 86_400_000) rmSync(path, { recursive: true, force: true });
  }
}

/** Whatever the build reads of ours; dependencies count by the lock file. */
function fingerprint(): string {
  const hash = createHash("sha256");
  const places = ["apps/web/src", "apps/web/public", "packages/protocol/src"];
  const files = places.flatMap((place) =>
    readdirSync(join(root, place), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith(".test.ts"))
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  for (const file of [
    ...files,
    ...["index.html", "vite.config.ts", "package.json"].map((name) => join(web, name)),
    join(root, "package-lock.json"),
  ].sort()) {
    hash.update(file).update("\0").update(readFileSync(file));
  }
  return hash.digest("hex").slice(0, 16);
}
