/** How this person calls themselves: as they said, as git knows them, or by the name of their account. */
import { userInfo } from "node:os";
import type { CommandContext } from "@devflow/core/command";
import { git } from "@devflow/git";

export async function personName({ cwd, env, signal }: CommandContext, given: string | undefined): Promise<string> {
  if (given !== undefined) return given;
  const { stdout } = await git(["config", "--get", "user.name"], { cwd, env, signal, answers: [1] });
  return stdout.trim() || userInfo().username;
}
