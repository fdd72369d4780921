/**
 * Postgres of other major versions, for tests: installed by npm on demand into `.cache/postgres` of the project.
 *
 * - `otherPostgres(version)` the packed form of it, or the reason why it is not available.
 */
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { cp, mkdir, readFile, rename, rm, stat, symlink } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { PackedPostgres } from "../src/embedded-postgres.ts";

const run = promisify(execFile);
const cache = fileURLToPath(new URL("../../../.cache/postgres/", import.meta.url));

export async function otherPostgres(version: string): Promise<PackedPostgres | string> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const folder = join(cache, version);
  try {
    if (!(await isThere(folder))) await install(`${name}@${version}`, folder);
  } catch (error) {
    const said = (error as { stderr?: string }).stderr?.match(/npm error (?!code|A complete)(.*)/)?.[1];
    return `npm could not install ${name}@${version} (${said ?? (error as Error).message.split("\n")[0]}). Connect, then run the tests again.`;
  }
  const native = join(folder, "node_modules", name, "native");
  return {
    version,
    async unpack(into) {
      await cp(native, into, { recursive: true });
      const links = JSON.parse(await readFile(join(native, "pg-symlinks.json"), "utf8"));
      for (const { source, target } of links as { source: string; target: string }[]) {
        await symlink(basename(source), join(into, target.replace(/^native\//, ""))).catch(() => {});
      }
    },
  };
}

/** In a temporary folder and renamed, so that concurrent test files and killed installs do no harm. */
async function install(what: string, folder: string): Promise<void> {
  const own = `${folder}.${randomUUID()}.tmp`;
  await mkdir(own, { recursive: true });
  try {
    const home = process.env.DEVFLOW_TEST_USER_HOME || process.env.HOME;
    await run("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", own, what], {
      cwd: own,
      env: { ...process.env, ...(home ? { HOME: home } : {}) },
    });
    await rename(own, folder).catch(async (error) => {
      if (!(await isThere(folder))) throw error;
    });
  } finally {
    await rm(own, { recursive: true, force: true });
  }
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
