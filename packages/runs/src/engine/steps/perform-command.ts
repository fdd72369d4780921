/**
 * One guarded command of a run: its row, its logs, its events. Repeated after a crash under the same id, and after it was told to end
 * because the run was paused or the engine stopped.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { CommandKind } from "@devflow/core/enums";
import { DevflowError } from "@devflow/core/errors";
import { faultPoint } from "@devflow/core/fault-point";
import { runGuarded } from "@devflow/harness";
import { redactPieces, redactSecrets } from "@devflow/redact";
import { eventKey } from "../../events/event-types.ts";
import { changeAt, type DriverContext } from "../context.ts";
import { usableSettings } from "../lent-files.ts";
import { CommandRow, type PhaseRow, type RunRow } from "../rows.ts";
import { knownSecrets } from "../run-secrets.ts";
import type { Snapshot } from "../snapshot.ts";
import { untilRunStops } from "./until-run-stops.ts";

interface CommandRequest {
  readonly id: string;
  readonly kind: CommandKind;
  readonly argv: readonly string[];
  readonly phase: PhaseRow | undefined;
}

export async function performCommand(
  context: DriverContext,
  snapshot: Snapshot,
  { id, kind, argv, phase }: CommandRequest,
  woken: AbortSignal,
): Promise<CommandRow> {
  const { run } = snapshot;
  const folder = join(run.folder, "commands");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const stdoutPath = join(folder, `${id}.out`);
  const stderrPath = join(folder, `${id}.err`);
  // The row, the events and the report show it; the command itself gets its words as they are.
  const shown = [...redactPieces(argv, { separator: " " }).pieces];
  const about = {
    command: id,
    kind,
    argv: shown,
    ...(phase ? { phase: phase.phase_key, attempt: phase.attempts } : {}),
  };
  await changeAt(context, snapshot, async (fact) => {
    await fact.tx`
      insert into app.commands (id, run_id, team_id, phase_id, attempt, kind, argv, cwd, stdout_path, stderr_path, started_at)
      values (${id}, ${run.id}, ${run.team_id}, ${phase?.id ?? null}, ${phase?.attempts ?? null}, ${kind},
        (select array_agg(value order by ordinality) from jsonb_array_elements_text(${fact.tx.json(shown)}) with ordinality),
        ${run.worktree_root}, ${stdoutPath}, ${stderrPath}, ${fact.now})
      on conflict (id) do update set started_at = excluded.started_at`;
    fact.emit({
      type: "command.started",
      key: eventKey.command("command.started", id),
      phaseId: phase?.id ?? null,
      payload: about,
    });
  });
  const stopped = untilRunStops(context, run, woken);
  const outcome = await attempt(context, run, { argv, stdoutPath, stderrPath }, stopped.signal).finally(
    stopped.release,
  );
  faultPoint("after_command_ran");
  return await changeAt(context, snapshot, async (fact) => {
    const [row] = await fact.tx`
      update app.commands c set exit_code = ${outcome.exitCode}, failure = ${outcome.failure}, ended_at = ${fact.now},
        stdout_hash = ${outcome.stdoutHash}, stderr_hash = ${outcome.stderrHash}, tail = ${outcome.tail}
      where c.id = ${id} returning to_jsonb(c) as command`;
    const type = outcome.exitCode === 0 ? "command.completed" : "command.failed";
    fact.emit({
      type,
      key: eventKey.command(type, id),
      phaseId: phase?.id ?? null,
      payload: {
        ...about,
        exitCode: outcome.exitCode,
        failure: outcome.failure,
        // In the chain, so that neither a log nor its row can be replaced unnoticed.
        stdout: { path: stdoutPath, hash: outcome.stdoutHash },
        stderr: { path: stderrPath, hash: outcome.stderrHash },
      },
    });
    return CommandRow.parse(row?.command);
  });
}

interface Outcome {
  readonly exitCode: number | null;
  readonly failure: string | null;
  readonly stdoutHash: string | null;
  readonly stderrHash: string | null;
  readonly tail: string | null;
}

async function attempt(
  context: DriverContext,
  run: RunRow,
  command: { argv: readonly string[]; stdoutPath: string; stderrPath: string },
  signal: AbortSignal,
): Promise<Outcome> {
  const { env, timing, passEnvironment: person } = context;
  try {
    const { copy: allowSecrets, environment: repository } = await usableSettings(run, { env, signal });
    const done = await runGuarded({
      ...command,
      cwd: run.worktree_root,
      env,
      addVariables: { person, repository },
      allowSecrets,
      knownSecrets: await knownSecrets(context, run, signal),
      timeoutMs: timing.commandTimeoutMs,
      signal,
    });
    // It was told to end, and how a program answers to that says nothing about the work: `node --test` exits with 1.
    if (done.ending === "abort") signal.throwIfAborted();
    const isWhole = done.ending === "exit" && done.exitCode !== undefined;
    return {
      exitCode: isWhole ? (done.exitCode ?? null) : null,
      failure: isWhole ? null : done.ending,
      stdoutHash: done.stdout.hash,
      stderrHash: done.stderr.hash,
      tail: [done.stdoutTail, done.stderrTail].filter(Boolean).join("\n"),
    };
  } catch (error) {
    // Stopping the engine is not a failure of the command: the next start runs it again.
    if (signal.aborted) throw error;
    if (!(error instanceof DevflowError)) throw error;
    // It may quote the command.
    const failure = redactSecrets(`${error.code}: ${error.message}`).text;
    return { exitCode: null, failure, stdoutHash: null, stderrHash: null, tail: failure };
  }
}
