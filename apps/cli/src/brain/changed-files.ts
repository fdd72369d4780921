/** The files that differ from the last commit, relative to the root; empty outside a repository. At most 200. */
import type { CommandContext } from "@devflow/core/command";
import { repositoryStatus } from "@devflow/git";
import type { Brain } from "./open-brain.ts";

export async function changedFiles({ root }: Brain, { signal }: Pick<CommandContext, "signal">): Promise<string[]> {
  if (root === undefined) return [];
  const { changes } = await repositoryStatus({ cwd: root, signal });
  return changes.slice(0, 200).map(({ path }) => path);
}
