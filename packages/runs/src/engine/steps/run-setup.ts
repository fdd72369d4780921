/**
 * The repository's own setup of a new worktree: files to copy, commands to run. Read from the base commit.
 *
 * - `runSetup(context, snapshot, signal)` before the run begins. A reason when it failed.
 * - `setUpAgain(context, snapshot, signal)` after the run came to another machine, before anything else is done there. When it
 *   fails, a person is asked; trying again repeats it.
 */
import { uuidv5 } from "@devflow/core/ids";
import { copyIntoWorktree, readRepositorySettings } from "@devflow/harness";
import { changeAt, type DriverContext } from "../context.ts";
import { currentPhase } from "../next-step.ts";
import type { Snapshot } from "../snapshot.ts";
import { performCommand } from "./perform-command.ts";
import { askRecovery, failPhase } from "./phase-steps.ts";

export async function runSetup(
  context: DriverContext,
  snapshot: Snapshot,
  signal: AbortSignal,
  round = "",
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
    const id = uuidv5(run.id, `setup:${round}${index}`);
    const known = snapshot.commands.find((one) => one.id === id);
    const done = known?.ended_at
      ? known
      : await performCommand(context, snapshot, { id, kind: "setup", argv, phase: undefined }, signal);
    if (done.exit_code !== 0) return `setup_failed: \`${argv.join(" ")}\` ended with ${done.exit_code ?? done.failure}`;
  }
  return undefined;
}

/** The recovery gate of a setup that failed on another machine. */
const setupFailed = "setup_failed";

export async function setUpAgain(context: DriverContext, snapshot: Snapshot, signal: AbortSignal): Promise<void> {
  const { run, approvals } = snapshot;
  const tries = approvals.filter((one) => one.gate_key === `recovery:${setupFailed}`).length;
  const failed = await runSetup(context, snapshot, signal, `${run.incarnation}:${tries}:`);
  const phase = currentPhase(snapshot);
  await changeAt(context, snapshot, async (fact) => {
    if (!failed || !phase) return fact.writeRun({ set_up: run.incarnation });
    const reason = `on the machine that it came to, ${failed}`;
    if (phase.state === "pending" || phase.kind === "lanes")
      return await askRecovery(fact, phase, setupFailed, reason, { subject: String(tries) });
    await failPhase(fact, phase, setupFailed, reason);
  });
}
