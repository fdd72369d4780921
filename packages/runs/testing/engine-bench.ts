/** A complete engine for tests: its own database, a repository, fake agents as real processes. */

import { glob, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Verdict } from "@devflow/core/enums";
import { uuidv7 } from "@devflow/core/ids";
import { type ConnectionTarget, connectAsAdmin, type Database, type Sql } from "@devflow/db";
import { initRepository } from "@devflow/git";
import { temporaryHome, testDatabase } from "@devflow/testkit";
import type { z } from "zod";
import type { DrivenAgent } from "../src/agents/driven-agent.ts";
import { shippedDefinitions } from "../src/definitions/registry.ts";
import { seedDefinitions } from "../src/definitions/seed-definitions.ts";
import type { EngineContext, EngineTiming, SandboxSettings } from "../src/engine/context.ts";
import { createRunEngine } from "../src/engine/create-run-engine.ts";
import { createInlineDriver } from "../src/engine/inline-driver.ts";
import type { ApprovalRow } from "../src/engine/rows.ts";
import type { Decision, RunEngine, RunStartInput, StartedRun } from "../src/engine/run-engine.ts";
import { loadSnapshot, type Snapshot } from "../src/engine/snapshot.ts";
import type { Actor } from "../src/events/actor.ts";
import type { DriverChoice } from "../src/open-runs.ts";
import { type Persona, personaHash } from "../src/personas/persona.ts";
import { Template, templateHash, templateId } from "../src/templates/index.ts";
import { endSessions } from "./end-sessions.ts";
import { fakeEngineContext } from "./fake-engine-context.ts";

export interface EngineBench {
  readonly context: EngineContext;
  /** The current one; `restart` replaces it. */
  readonly engine: RunEngine;
  /** The administrator's connection, for what no product role may do. */
  readonly admin: Sql;
  readonly database: Database;
  /** Where that database is, for another process. */
  readonly target: ConnectionTarget;
  readonly databaseName: string;
  readonly repository: string;
  readonly teamId: string;
  readonly person: Actor;
  start(input?: Partial<RunStartInput>): Promise<StartedRun>;
  /** A run whose agents play this script, by phase or `phase/role`. */
  play(script: Script, input?: Partial<RunStartInput>): Promise<string>;
  addTemplate(template: z.input<typeof Template>): Promise<string>;
  addPersona(persona: Persona): Promise<void>;
  /** The gate that waits for a person. */
  gate(runId: string): Promise<ApprovalRow>;
  decide(approvalId: string, verdict: Verdict, comment?: string): Promise<Decision>;
  /** Waits until an agent asks for a permission (scenario `permission`); the returned function allows it. */
  permission(runId: string): Promise<() => Promise<void>>;
  /** Approves everything until the report is written; permissions too, if agents ask for them. */
  finish(runId: string, options?: { readonly allow?: boolean }): Promise<Snapshot>;
  /** The prompts the agents received, in order. */
  prompts(runId: string): Promise<SentPrompt[]>;
  /** Stops the engine as a server would, and starts another over the same database. */
  restart(): Promise<void>;
  snapshot(runId: string): Promise<Snapshot>;
  /** Resolves when the condition is true; rejects after a timeout, with the state of the run. */
  until(runId: string, condition: (snapshot: Snapshot) => boolean): Promise<Snapshot>;
  eventTypes(runId: string): Promise<string[]>;
  events(runId: string): Promise<BenchEvent[]>;
  close(): Promise<void>;
}

interface BenchEvent {
  readonly seq: number;
  readonly type: string;
  readonly payload: Record<string, unknown>;
}

export interface SentPrompt {
  readonly phaseKey: string;
  readonly roleId: string;
  readonly attempt: number;
  readonly dedupKey: string;
  readonly instructions: string;
}

type Script = Readonly<Record<string, unknown>>;

interface BenchOptions {
  readonly timing?: Partial<EngineTiming>;
  readonly maxConcurrentRuns?: number;
  readonly files?: Readonly<Record<string, string>>;
  /** Besides the variables of an unconfigured machine. */
  readonly env?: Readonly<Record<string, string>>;
  readonly passEnvironment?: readonly string[];
  /** The setting `forges`. */
  readonly forges?: readonly string[];
  /** The settings `sandbox…`. */
  readonly sandbox?: SandboxSettings;
  /** Real agents besides the fake. */
  readonly agents?: readonly DrivenAgent[];
  /** How long a run may make no progress before `until` gives up. */
  readonly patienceMs?: number;
  readonly host?: string;
  /** The engine of its runs and what drives them; by default the inline one. */
  readonly driver?: DriverChoice;
}

export async function openEngineBench({
  timing,
  maxConcurrentRuns = 4,
  files,
  env: moreEnv = {},
  passEnvironment = [],
  agents = [],
  forges = [],
  sandbox,
  patienceMs = 90_000,
  host = "test-host",
  driver = { engine: "inline", create: createInlineDriver },
}: BenchOptions = {}): Promise<EngineBench> {
  const home = temporaryHome();
  const test = await testDatabase({ poolSize: 8 });
  const { database } = test;
  const repository = join(home.path, "repository");
  await initRepository(repository, {
    files: files ?? { "README.md": "# Demo\n" },
    message: "Start",
    env: home.environment(),
  });
  const userId = uuidv7();
  await database.asEngine(async (tx) => {
    await tx`select app.ensure_user(${userId}, 'Ada')`;
    await seedDefinitions(tx, shippedDefinitions());
  });
  const [team] = await database.withClaims(
    { sub: userId, role: "authenticated" },
    (tx) => tx<{ id: string }[]>`select id from api.create_team('Team')`,
  );
  const teamId = team?.id ?? "";
  const context = await fakeEngineContext({
    database,
    env: home.environment(moreEnv),
    folder: home.devflowHome,
    host,
    engine: driver.engine,
    passEnvironment,
    agents,
    forges,
    ...(sandbox ? { sandbox } : {}),
    maxConcurrentRuns,
    ...(timing ? { timing } : {}),
  });
  let engine = createRunEngine(context, driver.create(context));
  // The inline driver needs no start; another one has to be connected.
  if (driver.engine !== "inline") await engine.start();
  const admin = connectAsAdmin(test.target, test.name);
  const person: Actor = { userId, kind: "human", via: "cli" };
  const snapshot = async (runId: string): Promise<Snapshot> => {
    const found = await database.asEngine((tx) => loadSnapshot(tx, runId));
    if (!found) throw new Error(`no run ${runId}`);
    return found;
  };
  const until = async (runId: string, condition: (snapshot: Snapshot) => boolean): Promise<Snapshot> => {
    const deadline = Date.now() + patienceMs;
    for (;;) {
      const change = context.nextChange();
      const now = await snapshot(runId);
      if (condition(now)) return now;
      if (Date.now() > deadline) {
        const kin = await Promise.all(now.tasks.flatMap((one) => one.lane_run_id ?? []).map((id) => snapshot(id)));
        const lanes = kin.map((one) => `\n  ${one.run.lane_id}: ${describe(one)}`).join("");
        throw new Error(`run ${runId} stays ${describe(now)}${lanes}`);
      }
      await change;
    }
  };
  const start = (input: Partial<RunStartInput> = {}) =>
    engine.startRun(
      {
        teamId,
        template: "development-fake@1",
        repository,
        requirements: "Greet in several languages",
        clientToken: uuidv7(),
        ...input,
      },
      person,
    );
  const events = async (runId: string): Promise<BenchEvent[]> =>
    await database.asEngine(
      (tx) => tx<BenchEvent[]>`
        select seq::int, type, payload from app.run_events where run_id = ${runId} order by seq`,
    );
  const decide = (approvalId: string, verdict: Verdict, comment?: string) =>
    engine.decide(approvalId, { verdict, clientToken: uuidv7(), comment }, person);
  const allowAll = async (runId: string, signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      const open = openPermission(await events(runId));
      // The run may end at this very moment; then nobody waits for the answer.
      if (open)
        await engine
          .answerPermission({ sessionId: open.session, permissionId: open.permission, answer: "allow" }, person)
          .catch(() => undefined);
      await Bun.sleep(15);
    }
  };
  return {
    context,
    get engine() {
      return engine;
    },
    admin,
    database,
    target: test.target,
    databaseName: test.name,
    repository,
    teamId,
    person,
    start,
    async play(script, input) {
      const { runId } = await start({ ...input, extra: { fake: { script, delayMs: 5 } } });
      return runId;
    },
    async addTemplate(input) {
      const template = Template.parse(input);
      await database.asEngine(
        (tx) => tx`
          insert into app.workflow_templates (name, version, hash, definition)
          values (${template.name}, ${template.version}, ${templateHash(template)}, ${tx.json(template as never)})`,
      );
      return templateId(template);
    },
    async addPersona(persona) {
      const { name, version } = persona;
      await database.asEngine(
        (tx) => tx`
          insert into app.agent_personas (name, version, hash, definition)
          values (${name}, ${version}, ${personaHash(persona)}, ${tx.json(persona as never)})`,
      );
    },
    snapshot,
    until,
    async gate(runId) {
      const found = pendingGate(await until(runId, (now) => pendingGate(now) !== undefined || hasEnded(now)));
      if (!found) throw new Error(`run ${runId} ended without a question: ${describe(await snapshot(runId))}`);
      return found;
    },
    decide,
    async permission(runId) {
      const deadline = Date.now() + patienceMs;
      for (;;) {
        const open = openPermission(await events(runId));
        if (open)
          return () =>
            engine.answerPermission(
              { sessionId: open.session, permissionId: open.permission, answer: "allow" },
              person,
            );
        if (Date.now() > deadline)
          throw new Error(`run ${runId} asks no permission: ${describe(await snapshot(runId))}`);
        await Bun.sleep(15);
      }
    },
    async finish(runId, { allow = false } = {}) {
      const done = new AbortController();
      const allowing = allow ? allowAll(runId, done.signal) : undefined;
      try {
        for (;;) {
          const now = await until(runId, (one) => pendingGate(one) !== undefined || hasEnded(one));
          const gate = pendingGate(now);
          if (!gate) return now;
          await decide(gate.id, "approve");
        }
      } finally {
        done.abort();
        await allowing;
      }
    },
    async prompts(runId) {
      const sessions = join(context.workspaceRoot, runId, "sessions");
      const received: { prompt: SentPrompt; at: number }[] = [];
      for (const file of await Array.fromAsync(glob("*/inbox/*.json", { cwd: sessions }))) {
        const path = join(sessions, file);
        const prompt = JSON.parse(await readFile(path, "utf8")) as SentPrompt;
        received.push({ prompt, at: (await stat(path)).mtimeMs });
      }
      return received.sort((a, b) => a.at - b.at).map((one) => one.prompt);
    },
    async restart() {
      await engine.stop();
      engine = createRunEngine(context, driver.create(context));
      await engine.start();
    },
    events,
    async eventTypes(runId) {
      const rows = await database.asEngine(
        (tx) => tx<{ type: string }[]>`select type from app.run_events where run_id = ${runId} order by seq`,
      );
      return rows.map((row) => row.type);
    },
    async close() {
      await engine.stop();
      await endSessions(context);
      await admin.end();
      await test.close();
    },
  };
}

const pendingGate = ({ approvals }: Snapshot) => approvals.find((one) => one.state === "pending");
function openPermission(events: readonly BenchEvent[]): { session: string; permission: string } | undefined {
  const named = (type: string) => events.filter((one) => one.type === type).map((one) => one.payload);
  const answered = named("permission.resolved").map((one) => one.permission);
  const open = named("permission.requested").find((one) => !answered.includes(one.permission));
  return open && { session: String(open.session), permission: String(open.permission) };
}

const hasEnded = ({ run }: Snapshot): boolean => run.final_report_path !== null;

function describe({ run, phases, tasks, sessions, approvals }: Snapshot): string {
  const at = phases.map((one) => `${one.phase_key}=${one.state}`).join(" ");
  const agents = sessions.map((one) => `${one.role_id}=${one.state}`).join(" ");
  const lanes = tasks.map((one) => `${one.task_id}=${one.state} of ${one.lane_run_id} (${one.lane?.state})`).join(", ");
  return `${run.state} (${run.failure_reason ?? "no failure"}); ${at}; agents: ${agents}; lanes: ${lanes}; gates: ${approvals.map((one) => `${one.gate_key}=${one.state} ${String(one.payload.reason ?? "")}`).join(", ")}`;
}
