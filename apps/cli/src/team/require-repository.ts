/** The top folder of the repository that a command is about; throws `not_found` outside one. */
import type { CommandContext } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { repositoryRoot } from "@devflow/git";

export async function requireRepository({ cwd, env, signal }: CommandContext): Promise<string> {
  const root = await repositoryRoot({ cwd, env, signal });
  if (root !== undefined) return root;
  throw new DevflowError("not_found", {
    details: { what: `A git repository in ${cwd}`, next: "Go to one, or make one: git init" },
  });
}
