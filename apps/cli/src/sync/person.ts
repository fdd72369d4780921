/**
 * How this person calls themselves.
 *
 * - `personName(context, given)` as they said, as git knows them, or by the name of their account.
 * - `accountName()` the name of their account on this machine.
 */
import { readFileSync } from "node:fs";
import { userInfo } from "node:os";
import type { CommandContext } from "@devflow/core/command";
import { git } from "@devflow/git";

export async function personName({ cwd, env, signal }: CommandContext, given: string | undefined): Promise<string> {
  if (given !== undefined) return given;
  const { stdout } = await git(["config", "--get", "user.name"], { cwd, env, signal, answers: [1] });
  return stdout.trim() || accountName();
}

/** The runtime knows it only from the environment, which a container or a service may not have. */
export function accountName(): string {
  const { username, uid } = userInfo();
  if (username !== "unknown") return username;
  try {
    const line = readFileSync("/etc/passwd", "utf8")
      .split("\n")
      .find((one) => one.split(":")[2] === String(uid));
    return line?.split(":")[0] || username;
  } catch {
    return username;
  }
}
