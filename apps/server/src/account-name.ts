/** Who runs this process, as the system names the account. */
import { execFileSync } from "node:child_process";
import { userInfo } from "node:os";

export function accountName(): string {
  try {
    const { username } = userInfo();
    // Bun reads USER, and says "unknown" where a service or a container has none; the system knows better.
    return username === "unknown" ? execFileSync("id", ["-un"], { encoding: "utf8" }).trim() : username;
  } catch {
    // A user id without an entry in the system's list, as in some containers.
    return "local";
  }
}
