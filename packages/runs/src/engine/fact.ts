/**
 * The only way to change a run: a fact and its events commit together or not at all.
 *
 * - `changeRun(database, runId, actor, work)` locks the run's row, lets `work` change things and emit events, then
 *   appends the events to the hash chain, and finally adds one row to the team's log when the run's state or one of its
 *   gates changed.
 * - `fact.moveRun` and `fact.movePhase` are the setters of the two state machines: they assert the transition, write
 *   the row and emit the event. Sessions, approvals and permissions have theirs in their repositories.
 *
 * What is recorded contains no secrets: payloads, reasons and comments are redacted here, before they are hashed.
 *
 * Lock order: run, then team. The events, the team's row and the commit travel in one round trip: an append takes two
 * in all (measured: 1.8 times a bare insert with three, see docs/benchmarks.md for the current figure).
 */
import { type Clock, systemClock } from "@devflow/core/clock";
import { isTerminalRun, type PhaseState, type RunState } from "@devflow/core/enums";
import { DevflowError } from "@devflow/core/errors";
import { faultPoint } from "@devflow/core/fault-point";
import type { Database, LastStatement, Transaction } from "@devflow/db";
import { redactJson, redactSecrets, safeJson } from "@devflow/redact";
import type { Actor } from "../events/actor.ts";
import { type ChainedEvent, linkEvent, type RunEvent } from "../events/chain.ts";
import { eventKey, type RunEventType } from "../events/event-types.ts";
import { wakeKinRows } from "../lanes/wake-kin.ts";
import { nextPhaseState, type PhaseTrigger, phaseEventOf } from "../phases/phase-machine.ts";
import { type PhaseRow, RunRow } from "./rows.ts";
import { holdsSlot, nextRunState, type RunTrigger, runEventOf } from "./run-machine.ts";
import { isSlotFree } from "./run-queue.ts";
import { writeWake } from "./wakes.ts";

export interface NewEvent {
  readonly type: RunEventType;
  readonly key: string;
  readonly phaseId?: string | null;
  readonly payload?: Readonly<Record<string, unknown>>;
}

export interface RunFact {
  readonly tx: Transaction;
  readonly run: RunRow;
  readonly now: Date;
  readonly actor: Actor;
  emit(event: NewEvent): void;
  /** Changes the run's state by its table; an illegal trigger throws and nothing is committed. */
  moveRun(trigger: RunTrigger, fields?: RunFields, about?: RunAbout): void;
  movePhase(
    phase: Pick<PhaseRow, "id" | "state" | "phase_key" | "attempts">,
    trigger: PhaseTrigger,
    fields?: PhaseFields,
    about?: PhaseAbout,
  ): Promise<PhaseState>;
  /** Fields that do not affect the state. */
  writeRun(fields: RunFields): void;
  /** Something visible other than the state changed, such as a gate. */
  touch(): void;
}

export interface RunFields {
  readonly budget_grants?: number;
  readonly rate_limited_until?: Date;
  readonly current_phase_id?: string | null;
  readonly pause_cause?: string | null;
  readonly failure_reason?: string | null;
  readonly locked_hash?: string;
  readonly queued?: boolean;
  readonly started_at?: Date;
  readonly final_report_path?: string;
  readonly interrupt_requested?: boolean;
  readonly set_up?: number;
}

/** The payload of the run's event. */
export interface RunAbout {
  /** `<kind>:<unique id>` of a pause or its end, so that a second manual pause is a second event. */
  readonly cause?: string;
  readonly payload?: Readonly<Record<string, unknown>>;
}

/** The payload of the phase's event, besides phase and attempt. */
export interface PhaseAbout {
  readonly payload?: Readonly<Record<string, unknown>>;
  /** A loop may skip the same phase again; the round distinguishes the two events. */
  readonly round?: number;
}

export interface PhaseFields {
  readonly attempts?: number;
  readonly automatic_attempts?: number;
  readonly repair?: boolean;
  readonly comment?: string | null;
  readonly loops?: number;
  readonly git_state?: string | null;
  readonly reason?: string | null;
  readonly collisions?: string | null;
  readonly active_ms?: number;
  readonly active_since?: Date | null;
  readonly started_at?: Date | null;
  readonly ended_at?: Date | null;
}

export interface ChangeOptions {
  readonly clock?: Clock;
  /** How many runs may be at work; without it, a run that may continue stays queued until a driver takes it. */
  readonly maxConcurrentRuns?: () => number;
  /** Whether the driver of a distributed engine has to be told; see wakes.ts. */
  readonly wakes?: boolean;
  /** Called after the commit with the appended events. */
  readonly onCommitted?: (events: readonly ChainedEvent[]) => void;
}

export async function changeRun<T>(
  database: Database,
  runId: string,
  actor: Actor,
  work: (fact: RunFact) => Promise<T>,
  { clock = systemClock, maxConcurrentRuns, wakes = true, onCommitted }: ChangeOptions = {},
): Promise<T> {
  const attempt = (isReplay: boolean) => {
    let last: readonly LastStatement[] = [];
    return database.asEngine(
      async (tx) => {
        const draft = await draftOf(tx, runId, actor, clock);
        const value = await work(draft);
        if (draft.isQueuedNow && maxConcurrentRuns && (await isSlotFree(tx, draft.run, maxConcurrentRuns())))
          draft.writeRun({ queued: false });
        const written = await draft.write(isReplay, wakes);
        last = written.statements;
        const name = nameOf(draft, written.events);
        faultPoint(`before_commit_${name}`);
        return { value, name, events: written.events };
      },
      { last: () => last },
    );
  };
  // Almost every fact is new, so its keys are not looked up first. A fact that was recorded before a crash violates the
  // unique key and is repeated without the known events; nothing of the first attempt was committed.
  const { value, name, events } = await attempt(false).catch((error: unknown) => {
    if (isRecorded(error)) return attempt(true);
    throw error;
  });
  faultPoint(`after_commit_${name}`);
  if (events.length > 0) onCommitted?.(events);
  return value;
}

/** The same inside the caller's transaction, for a run created in it. */
export async function changeRunIn(
  tx: Transaction,
  runId: string,
  actor: Actor,
  work: (fact: RunFact) => Promise<void>,
  clock: Clock,
): Promise<readonly ChainedEvent[]> {
  const draft = await draftOf(tx, runId, actor, clock);
  await work(draft);
  const { events, statements } = await draft.write(false, !draft.run.queued);
  for (const statement of statements) await statement;
  return events;
}

async function draftOf(tx: Transaction, runId: string, actor: Actor, clock: Clock): Promise<Draft> {
  const [row] = await tx`select to_jsonb(r) as run from app.runs r where r.id = ${runId} for update`;
  if (!row) throw new DevflowError("not_found", { details: { what: `Run ${runId}`, next: "devflow run list" } });
  return new Draft(tx, RunRow.parse(row.run), actor, new Date(clock.now()));
}

/** The name of the fact, for fault points: the first event, or the new state of a phase. */
const nameOf = (draft: Draft, events: readonly ChainedEvent[]): string =>
  events[0]?.type.replace(".", "_") ?? draft.silent;

class Draft implements RunFact {
  readonly tx: Transaction;
  readonly actor: Actor;
  readonly now: Date;
  run: RunRow;
  private readonly events: NewEvent[] = [];
  private fields: Record<string, unknown> = {};
  private isVisible = false;
  /** It waited for a person, and now for a slot. */
  get isQueuedNow(): boolean {
    return this.fields.queued === true;
  }
  /** The name of a fact without an event. */
  silent = "nothing";

  constructor(tx: Transaction, run: RunRow, actor: Actor, now: Date) {
    this.tx = tx;
    this.run = run;
    this.actor = actor;
    this.now = now;
  }

  emit(event: NewEvent): void {
    this.events.push(event);
  }

  touch(): void {
    this.isVisible = true;
  }

  moveRun(trigger: RunTrigger, fields: RunFields = {}, { cause, payload = {} }: RunAbout = {}): void {
    const next: RunState | undefined = nextRunState(this.run.state, trigger);
    if (!next) throw illegalTransition(`Run ${this.run.id}`, this.run.state, trigger);
    this.isVisible ||= next !== this.run.state;
    const pausedFrom = next === "paused" ? (this.run.state as RunRow["paused_from_state"]) : null;
    this.set({
      state: next,
      ...(next === this.run.state ? {} : { paused_from_state: pausedFrom }),
      ...(next === "paused" && cause !== undefined ? { pause_cause: cause } : {}),
      ...(next === "paused" || next === this.run.state ? {} : { pause_cause: null }),
      ...(isTerminalRun(next) ? { ended_at: this.now } : {}),
      ...queueing(this.run, next),
      ...fields,
    });
    const type = runEventOf[trigger];
    if (!type) return;
    if (type !== "run.paused" && type !== "run.resumed") {
      this.emit({ type, key: eventKey.run(type, this.run.id), payload });
      return;
    }
    if (cause === undefined) throw new Error(`${trigger} needs a cause`);
    this.emit({ type, key: eventKey.pause(type, this.run.id, cause), payload: { cause, ...payload } });
  }

  writeRun(fields: RunFields): void {
    this.set({ ...fields });
  }

  private set(fields: Record<string, unknown>): void {
    const clean = withoutSecrets(fields);
    this.fields = { ...this.fields, ...clean };
    const { started_at: _start, ended_at: _end, ...plain } = clean;
    this.run = { ...this.run, ...(plain as Partial<RunRow>) };
  }

  async movePhase(
    phase: Pick<PhaseRow, "id" | "state" | "phase_key" | "attempts">,
    trigger: PhaseTrigger,
    fields: PhaseFields = {},
    { payload = {}, round }: PhaseAbout = {},
  ): Promise<PhaseState> {
    const next = nextPhaseState(phase.state, trigger);
    if (!next) throw illegalTransition(`Phase ${phase.id}`, phase.state, trigger);
    const changed = { ...withoutSecrets(fields), state: next, updated_at: this.now };
    // The old state is the guard: if someone moved the phase meanwhile, nothing is changed.
    const rows = await this.tx`
      update app.run_phases set ${this.tx(changed)} where id = ${phase.id} and state = ${phase.state} returning id`;
    if (rows.length === 0) throw illegalTransition(`Phase ${phase.id}`, "changed by someone else", trigger);
    this.silent = `phase_${trigger}`;
    const type = phaseEventOf[next];
    if (type) {
      const attempt = fields.attempts ?? phase.attempts;
      const key = eventKey.phase(type, phase.id, attempt);
      this.emit({
        type,
        key: round === undefined ? key : `${key}:${round}`,
        phaseId: phase.id,
        payload: { phase: phase.phase_key, attempt, ...payload },
      });
    }
    return next;
  }

  /**
   * In a replay, events already recorded under their key are dropped. Events and head are one statement. The statements are
   * returned unsent, so that the commit can be sent with them.
   */
  async write(
    isReplay: boolean,
    wakes: boolean,
  ): Promise<{ readonly events: readonly ChainedEvent[]; readonly statements: readonly LastStatement[] }> {
    const fresh = isReplay ? await this.unrecorded() : this.events;
    let previous = this.run.chain_head;
    let seq = this.run.event_seq;
    const chained = fresh.map((event): ChainedEvent => {
      seq += 1;
      const plain: RunEvent = {
        runId: this.run.id,
        seq,
        phaseId: event.phaseId ?? null,
        type: event.type,
        payload: redactJson(safeJson(event.payload ?? {}).value).value,
        key: event.key,
        actor: this.actor,
        at: this.now.toISOString(),
      };
      const linked = { ...plain, prevHash: previous, hash: linkEvent(previous, plain) };
      previous = linked.hash;
      return linked;
    });
    const statements: LastStatement[] = [];
    if (chained.length > 0) {
      const rows = chained.map((event) => ({
        seq: event.seq,
        phase_id: event.phaseId,
        type: event.type,
        payload: event.payload,
        idempotency_key: event.key,
        actor: event.actor,
        ts: event.at,
        prev_hash: event.prevHash,
        hash: event.hash,
      }));
      const changed = { ...this.fields, event_seq: seq, chain_head: previous, updated_at: this.now };
      statements.push(this.tx`
        with appended as (
          insert into app.run_events (run_id, team_id, seq, phase_id, type, payload, idempotency_key, actor, ts, prev_hash, hash)
          select ${this.run.id}::uuid, ${this.run.team_id}::uuid, e.seq, e.phase_id, e.type, e.payload, e.idempotency_key, e.actor, e.ts, e.prev_hash, e.hash
          from jsonb_to_recordset(${this.tx.json(rows as never)}) as e (seq bigint, phase_id uuid, type text, payload jsonb,
            idempotency_key text, actor jsonb, ts timestamptz, prev_hash text, hash text))
        update app.runs set ${this.tx(changed)} where id = ${this.run.id}`);
    } else if (Object.keys(this.fields).length > 0) {
      const changed = { ...this.fields, updated_at: this.now };
      statements.push(this.tx`update app.runs set ${this.tx(changed)} where id = ${this.run.id}`);
    }
    if (this.isVisible)
      statements.push(this.tx`select app.append_changes(${this.run.team_id}, 'run', array[${this.run.id}::uuid])`);
    if (this.run.engine === "temporal") {
      if (wakes) statements.push(writeWake(this.tx, this.run.id));
      statements.push(...wakeKinRows(this.tx, this.run, chained));
    }
    return { events: chained, statements };
  }

  private async unrecorded(): Promise<NewEvent[]> {
    if (this.events.length === 0) return [];
    const keys = this.events.map((event) => event.key);
    const known = await this.tx<{ idempotency_key: string }[]>`
      select e.idempotency_key from app.run_events e
      where e.run_id = ${this.run.id}
        and e.idempotency_key in (select jsonb_array_elements_text(${this.tx.json(keys)}))`;
    const recorded = new Set(known.map((row) => row.idempotency_key));
    return this.events.filter((event) => !recorded.has(event.key));
  }
}

/** A run that a person lets continue waits for a slot; one that waits for a person, or has ended, waits for none. */
function queueing({ state, queued }: RunRow, next: RunState): { queued?: boolean } {
  if (!holdsSlot(next)) return queued ? { queued: false } : {};
  return holdsSlot(state) ? {} : { queued: true };
}

/** Reasons and comments quote people, agents and programs. */
const quoting: ReadonlySet<string> = new Set(["reason", "comment", "failure_reason"]);

function withoutSecrets<T extends object>(fields: T): T {
  const clean = Object.entries(fields).map(([name, value]) =>
    quoting.has(name) && typeof value === "string" ? [name, redactSecrets(value).text] : [name, value],
  );
  return Object.fromEntries(clean) as T;
}

function isRecorded(error: unknown): boolean {
  const { code, constraint_name: constraint } = error as { code?: string; constraint_name?: string };
  return code === "23505" && constraint === "run_events_run_id_idempotency_key_key";
}

export function illegalTransition(what: string, state: string, wanted: string): DevflowError {
  return new DevflowError("illegal_transition", {
    details: { what, state, wanted: wanted.replaceAll("_", " "), next: "See: devflow run show" },
  });
}
