/** The repository's own setup of a new worktree: files to copy, commands to run. Read from the base commit. */
import { uuidv5 } from "@devflow/core/ids";
import { copyIntoWorktree, readRepositorySettings } from "@devflow/harness";
import type { DriverContext } from "../context.ts";
import type { Snapshot } from "../snapshot.ts";
import { performCommand } from "./perform-command.ts";

/** A reason when it failed; undefined when the worktree is ready. */
export async function runSetup(
  context: DriverContext,
  snapshot: Snapshot,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { run } = snapshot;
  const settings = await readRepositorySettings({
    repository: run.repo_path,
    commit: run.base_commit,
    env: context.env,
    signal,
  });
  await copyIntoWorktree({ repository: run.repo_path, worktree: run.worktree_root, files: settings.copy });
  for (const [index, argv] of settings.setup.entries()) {
    const id = uuidv5(run.id, `setup:${index}`);
    const known = snapshot.commands.find((one) => one.id === id);
    const done = known?.ended_at
      ? known
      : await performCommand(context, snapshot, { id, kind: "setup", argv, phase: undefined }, signal);
    if (done.exit_code !== 0) return `setup_failed: \`${argv.join(" ")}\` ended with ${done.exit_code ?? done.failure}`;
  }
  return undefined;
}
