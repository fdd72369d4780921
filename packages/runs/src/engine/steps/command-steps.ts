/** Phases that run a command instead of asking an agent. A failing command never ends a run by itself. */
import { uuidv5 } from "@devflow/core/ids";
import { readRepositorySettings } from "@devflow/harness";
import { changeAt, type DriverContext } from "../context.ts";
import { definitionOf } from "../next-step.ts";
import type { CommandRow, PhaseRow } from "../rows.ts";
import { shownAtGate } from "../shown-work.ts";
import type { Snapshot } from "../snapshot.ts";
import { performCommand } from "./perform-command.ts";
import { askRecovery, exhaustPhase } from "./phase-steps.ts";
import { closeAttempt } from "./settle-phase.ts";

export async function runCommandPhase(
  context: DriverContext,
  snapshot: Snapshot,
  phase: PhaseRow,
  signal: AbortSignal,
): Promise<void> {
  const { run } = snapshot;
  const commands = await commandsOf(context, snapshot, phase, signal);
  if (commands.length === 0) {
    // The repository names no such command, so nothing can fail.
    const shown = await shownAtGate(context, snapshot, phase);
    await changeAt(context, snapshot, (fact) => closeAttempt(fact, phase, shown));
    return;
  }
  for (const [index, argv] of commands.entries()) {
    const id = uuidv5(run.id, `command:${phase.phase_key}:${phase.attempts}:${index}`);
    const kind =
      definitionOf(snapshot, phase).command && "from" in (definitionOf(snapshot, phase).command ?? {})
        ? "test"
        : "other";
    const known = snapshot.commands.find((one) => one.id === id);
    const done = known?.ended_at ? known : await performCommand(context, snapshot, { id, kind, argv, phase }, signal);
    if (done.exit_code !== 0) return;
  }
}

async function commandsOf(
  context: DriverContext,
  snapshot: Snapshot,
  phase: PhaseRow,
  signal: AbortSignal,
): Promise<readonly (readonly string[])[]> {
  const { command } = definitionOf(snapshot, phase);
  if (!command) return [];
  if ("argv" in command) return [command.argv];
  const { run } = snapshot;
  const settings = await readRepositorySettings({
    repository: run.repo_path,
    commit: run.base_commit,
    env: context.env,
    signal,
  });
  return settings[command.from];
}

/** Every command of the attempt has ended, or one has failed. */
export async function settleCommand(
  context: DriverContext,
  snapshot: Snapshot,
  phase: PhaseRow,
  signal: AbortSignal,
): Promise<void> {
  const commands = await commandsOf(context, snapshot, phase, signal);
  const rows = snapshot.commands.filter((one) => one.phase_id === phase.id && one.attempt === phase.attempts);
  const failed = rows.find((one) => one.ended_at !== null && one.exit_code !== 0);
  if (!failed && rows.length < commands.length) return await runCommandPhase(context, snapshot, phase, signal);
  const shown = failed ? undefined : await shownAtGate(context, snapshot, phase);
  await changeAt(context, snapshot, async (fact) => {
    if (!failed) return await closeAttempt(fact, phase, shown);
    const reason = describe(failed);
    await exhaustPhase(fact, phase, "command_failed", reason);
    const { loop } = definitionOf(snapshot, phase);
    const loops = loop !== undefined && loop.while === "failed" && phase.loops < loop.max;
    if (!loops) await askRecovery(fact, { ...phase, state: "failed" }, "command_failed", reason);
  });
}

const describe = (row: CommandRow): string => `\`${row.argv.join(" ")}\` ended with ${row.exit_code ?? row.failure}`;
