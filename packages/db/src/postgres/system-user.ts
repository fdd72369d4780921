/**
 * Postgres refuses to run as root, so a user is created for it.
 *
 * - `postgresUser()` undefined when this process is not root; otherwise uid and gid of `devflow-postgres`.
 */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { DevflowError } from "@devflow/core/errors";

const run = promisify(execFile);
const userName = "devflow-postgres";

export interface SystemUser {
  readonly uid: number;
  readonly gid: number;
}

/** The ways to create one on Linux: shadow's useradd, Debian's and busybox's adduser. */
const recipes: readonly (readonly string[])[] = [
  ["useradd", "--system", "--no-create-home", "--home-dir", "/nonexistent", "--shell", "/usr/sbin/nologin", userName],
  ["adduser", "--system", "--no-create-home", "--group", "--disabled-login", userName],
  ["adduser", "-S", "-D", "-H", userName],
];

export async function postgresUser(isRoot: boolean = process.getuid?.() === 0): Promise<SystemUser | undefined> {
  if (!isRoot) return undefined;
  const found = await lookUp();
  if (found) return found;
  const reasons: string[] = [];
  for (const [program = "", ...words] of recipes) {
    // The PATH of a service may lack the administration folders.
    for (const path of [`/usr/sbin/${program}`, `/sbin/${program}`, `/usr/bin/${program}`, `/bin/${program}`]) {
      const reason = await run(path, words).then(
        () => undefined,
        (error: { code?: string; stderr?: string; message: string }) =>
          error.code === "ENOENT" ? undefined : (error.stderr || error.message).trim().split("\n")[0],
      );
      if (reason) reasons.push(reason);
      // Also after a failure: another process may have created it just now.
      const made = await lookUp();
      if (made) return made;
    }
  }
  throw new DevflowError("db_user_missing", { details: { reason: reasons[0] ?? "useradd and adduser are missing" } });
}

/** The system's file first: it needs no program, and a service may have almost no PATH. */
async function lookUp(): Promise<SystemUser | undefined> {
  const list = await readFile("/etc/passwd", "utf8").catch(() => "");
  const [, , uid, gid] =
    list
      .split("\n")
      .find((line) => line.startsWith(`${userName}:`))
      ?.split(":") ?? [];
  if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  // Users may also be in a directory service.
  const ids = await Promise.all(
    ["-u", "-g"].map((flag) =>
      run("id", [flag, userName]).then(
        ({ stdout }) => Number(stdout.trim()),
        () => undefined,
      ),
    ),
  );
  const [foundUid, foundGid] = ids;
  return foundUid === undefined || foundGid === undefined ? undefined : { uid: foundUid, gid: foundGid };
}
