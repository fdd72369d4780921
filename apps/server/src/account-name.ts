/** The name of the account that runs this process. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { userInfo } from "node:os";

export function accountName(): string {
  try {
    const { username, uid } = userInfo();
    // Bun reads USER, and returns "unknown" if a service or a container has none; the system knows better.
    return username === "unknown" ? (listedName(uid) ?? named()) : username;
  } catch {
    // A user id without an entry in the system's list, as in some containers.
    return "local";
  }
}

/** From the system's file, which needs no program. */
function listedName(uid: number): string | undefined {
  const line = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .find((one) => one.split(":")[2] === String(uid));
  return line?.split(":")[0] || undefined;
}

/** Users may also be in a directory service. */
function named(): string {
  return execFileSync("id", ["-un"], { encoding: "utf8" }).trim();
}
