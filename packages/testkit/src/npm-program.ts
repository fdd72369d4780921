/**
 * A program of another project that npm has, pinned, for tests: installed on demand into `.cache` of the project and kept there.
 *
 * - `npmProgramOrSkip(program)` its path; undefined, with the reason printed, where it cannot be had.
 */
import { existsSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { canRun } from "./can-run.ts";
import { runProcess } from "./run-process.ts";

export interface NpmProgram {
  /** The package with the program for this machine. */
  readonly package: string;
  readonly version: string;
  /** Where it is in the package. */
  readonly file: string;
}

/** npm names the packages by the names of Node. */
const machine = `${process.platform}-${process.arch}`;

const npmPrograms = {
  deno: { package: `@deno/${machine}${process.platform === "linux" ? "-glibc" : ""}`, version: "2.9.6", file: "deno" },
  supabase: { package: `@supabase/cli-${machine}`, version: "3.1.0", file: "bin/supabase" },
} as const satisfies Readonly<Record<string, NpmProgram>>;

const root = fileURLToPath(new URL("../../../.cache/programs/", import.meta.url));

export async function npmProgramOrSkip(name: keyof typeof npmPrograms): Promise<string | undefined> {
  const program = npmPrograms[name];
  const place = join(root, `${name}@${program.version}`);
  const path = join(place, "node_modules", program.package, program.file);
  const isThere = await canRun(`tests with the real ${name}`, async () => {
    if (existsSync(path)) return undefined;
    return (
      (await install(program, place)) ?? (existsSync(path) ? undefined : `${program.package} has no ${program.file}`)
    );
  });
  return isThere ? path : undefined;
}

/** Why not. In a folder of its own and then renamed, so that a killed install leaves nothing half. */
async function install({ package: name, version }: NpmProgram, place: string): Promise<string | undefined> {
  const made = `${place}.${process.pid}`;
  try {
    await mkdir(made, { recursive: true });
    await writeFile(join(made, "package.json"), '{ "private": true }\n');
    const words = [
      "npm",
      "install",
      `${name}@${version}`,
      "--ignore-scripts",
      "--no-audit",
      "--no-fund",
      "--loglevel=error",
    ];
    const home = process.env.DEVFLOW_TEST_USER_HOME || process.env.HOME || "";
    const env = { ...process.env, HOME: home } as Record<string, string>;
    const done = await runProcess(words, { cwd: made, env, timeoutMs: 300_000 });
    if (done.code !== 0) return `npm could not install ${name} ${version}: ${done.stderr.trim().split("\n").at(-1)}`;
    // Another test file may have been faster.
    await rename(made, place).catch(() => undefined);
    return undefined;
  } finally {
    await rm(made, { recursive: true, force: true });
  }
}
