/**
 * The data folder: created completely or not at all, with the passwords of its roles inside.
 *
 * - `ensureDataFolder(…)` initdb into a temporary folder, then a rename; the loser of a race uses the winner's.
 * - `readPassword(data)` the administrator's password; undefined when there is no data folder.
 * - `checkMajor(data, major)` throws `db_major_version` when another version created it, `db_data_damaged` when nobody can
 *   tell which.
 */
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chown, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { readPrivateFile, syncFolder, writeFileAtomic } from "@devflow/core/atomic-file";
import { DevflowError } from "@devflow/core/errors";
import { faultPoint } from "@devflow/core/fault-point";
import { hashBytes } from "@devflow/core/hash";
import type { Log } from "@devflow/core/log";
import { processIdentity } from "@devflow/core/process-proof";
import { Secret } from "@devflow/core/secret";
import type { Binaries } from "./binaries.ts";
import { nameProblem } from "./name-problem.ts";
import type { PreparedPlaces } from "./places.ts";

const run = promisify(execFile);
export const adminRole = "devflow_admin";
const passwordFile = "devflow-password";

export async function readPassword(data: string): Promise<Secret | undefined> {
  const text = await readPrivateFile(join(data, passwordFile)).catch((error: { code?: string }) => {
    if (error.code === "ENOTDIR") return undefined;
    throw error;
  });
  return text === undefined ? undefined : new Secret(text.trim());
}

export async function checkMajor(data: string, ours: number): Promise<void> {
  const found = (await readFile(join(data, "PG_VERSION"), "utf8").catch(() => undefined))?.trim();
  if (found === undefined || !/^\d+$/.test(found)) {
    const reason = `its file PG_VERSION is ${found === undefined ? "missing" : found === "" ? "empty" : "not a number"}`;
    throw new DevflowError("db_data_damaged", { details: { path: data, reason } });
  }
  if (Number(found) !== ours) {
    throw new DevflowError("db_major_version", { details: { path: data, found, ours } });
  }
}

export async function ensureDataFolder(
  places: PreparedPlaces,
  binaries: Binaries,
  { testing, log }: { testing: boolean; log: Log },
): Promise<void> {
  if (await readPassword(places.data)) return;
  await removeAbandoned(places.base);
  const own = join(places.base, `init-${process.pid}-${markOf(process.pid)}-${randomBytes(4).toString("hex")}`);
  try {
    await mkdir(own, { mode: 0o700 });
    if (places.user) await chown(own, places.user.uid, places.user.gid);
    await initialise(own, places, binaries, testing);
    faultPoint("afterInitdbBeforeRename");
    await rename(own, places.data).catch(async (error) => {
      // Another process was first. Its folder is complete, because it was renamed too.
      if (!(await readPassword(places.data))) throw error;
    });
    await syncFolder(places.base);
    log.info({ data: places.data, version: binaries.version }, "data folder created");
  } catch (error) {
    throw nameProblem(error, places.base);
  } finally {
    await rm(own, { recursive: true, force: true });
    // Once more: a process that was killed just before we began was still dying then.
    await removeAbandoned(places.base);
  }
}

async function initialise(folder: string, places: PreparedPlaces, binaries: Binaries, testing: boolean): Promise<void> {
  const password = randomBytes(24).toString("base64url");
  const passwordPath = `${folder}.password`;
  try {
    await writeFile(passwordPath, password, { mode: 0o600, flag: "wx" });
    if (places.user) await chown(passwordPath, places.user.uid, places.user.gid);
    // The builtin provider sorts the same on every machine and needs no system locale; Postgres 16 lacks it.
    const locale =
      binaries.major >= 17 ? ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"] : ["--locale=C"];
    const words = [
      `--pgdata=${folder}`,
      `--username=${adminRole}`,
      `--pwfile=${passwordPath}`,
      "--auth=scram-sha-256",
      "--encoding=UTF8",
      ...locale,
      ...(testing ? ["--no-sync"] : []),
    ];
    faultPoint("beforeInitdb");
    await run(join(binaries.folder, "initdb"), words, {
      cwd: "/",
      env: { PATH: "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" },
      ...(places.user ?? {}),
    });
    await writeFileAtomic(join(folder, passwordFile), password);
    if (places.user) await chown(join(folder, passwordFile), places.user.uid, places.user.gid);
  } finally {
    await rm(passwordPath, { force: true });
  }
}

/** Left by a killed process: its identity is in the name, because its pid may have been reused. */
async function removeAbandoned(base: string): Promise<void> {
  for (const name of await readdir(base)) {
    const [, pid, mark] = /^init-(\d+)-([0-9a-f]+)/.exec(name) ?? [];
    if (pid && markOf(Number(pid)) !== mark) await rm(join(base, name), { recursive: true, force: true });
  }
}

/** Identity of the process that has this pid now; empty when there is none. */
function markOf(pid: number): string {
  const identity = processIdentity(pid);
  return identity === undefined ? "" : hashBytes(identity).slice(0, 12);
}
