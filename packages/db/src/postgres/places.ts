/**
 * Paths of a cluster's programs, data, socket and log.
 *
 * - `placesFor(folder)` pure: under `<home>/pg`, or as root under `/var/lib/devflow-<hash>`.
 * - `preparePlaces(folder)` creates them, private to the user who runs Postgres, following no link.
 *
 * As root, the created user cannot access /root, a 0700 home or a 0700 clone, hence the second path.
 */
import { chmod, chown, lstat, mkdir, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { DevflowError } from "@devflow/core/errors";
import { hashBytes } from "@devflow/core/hash";
import { postgresUser, type SystemUser } from "./system-user.ts";

export interface Places {
  readonly base: string;
  readonly data: string;
  readonly socket: string;
  readonly log: string;
}

export interface PreparedPlaces extends Places {
  readonly user: SystemUser | undefined;
}

/** `sun_path` has 104 bytes on macOS and 108 on Linux, including the name of the socket and the final zero. */
const longestSocketFolder = 104 - "/.s.PGSQL.5432".length - 1;

export function placesFor(folder: string, isRoot: boolean = process.getuid?.() === 0): Places {
  const whole = resolve(folder);
  const key = hashBytes(whole).slice(0, 12);
  const base = isRoot ? `/var/lib/devflow-${key}` : whole;
  const inside = join(base, "run");
  const isTooLong = Buffer.byteLength(inside) > longestSocketFolder;
  return {
    base,
    data: join(base, "data"),
    socket: isTooLong ? `/tmp/devflow-${process.getuid?.() ?? 0}-${key}` : inside,
    log: join(base, "postgres.log"),
  };
}

const notAFolder = "it is a link or a file, not a folder";

export async function preparePlaces(folder: string): Promise<PreparedPlaces> {
  const user = await postgresUser();
  const places = placesFor(folder, user !== undefined);
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch((error: { code?: string }) => {
    if (error.code !== "ENOTDIR" && error.code !== "EEXIST") throw error;
    throw new DevflowError("home_unusable", { details: { path: dirname(folder), reason: notAFolder }, cause: error });
  });
  await makeFolder(places.base, user ? 0o755 : 0o700, undefined);
  await makeFolder(places.socket, 0o700, user);
  if (user) {
    // Each contains the path of the other, for a person who finds one of them.
    await writeFile(join(folder, "location"), `${places.base}\n`, { mode: 0o600 });
    await writeFile(join(places.base, "home"), `${resolve(folder)}\n`, { mode: 0o600 });
  }
  return { ...places, user };
}

/** The parent may be open to everyone (/tmp), so an existing entry must be a folder, ours, and not a link. */
async function makeFolder(path: string, mode: number, owner: SystemUser | undefined): Promise<void> {
  await mkdir(path, { mode }).catch((error: { code?: string }) => {
    if (error.code !== "EEXIST") throw error;
  });
  const found = await lstat(path);
  const self = process.getuid?.() ?? 0;
  if (!found.isDirectory() || (found.uid !== self && found.uid !== owner?.uid)) {
    const reason = found.isDirectory() ? "it belongs to another user" : notAFolder;
    throw new DevflowError("home_unusable", { details: { path, reason } });
  }
  if ((found.mode & 0o777) !== mode) await chmod(path, mode);
  if (owner && found.uid !== owner.uid) await chown(path, owner.uid, owner.gid);
}
