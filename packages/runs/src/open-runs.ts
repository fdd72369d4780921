/**
 * Everything about runs that a server needs.
 *
 * - `openRuns(options)` the engine is ready; nothing is driven yet. Requests that need definitions
 *   store those of this machine in the database, whenever their files changed.
 * - `start()` resumes every unfinished run of this machine; call it once the server listens.
 * - `stop()` releases all of them; agents keep running and are found again.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { bestEffort } from "@devflow/core/best-effort";
import { type Clock, systemClock } from "@devflow/core/clock";
import { type Environment, inheritedEnvironment } from "@devflow/core/config";
import type { EngineName } from "@devflow/core/enums";
import { DevflowError } from "@devflow/core/errors";
import { homeAt } from "@devflow/core/home";
import type { Log } from "@devflow/core/log";
import type { Claims, Database, HeldLock } from "@devflow/db";
import { agentEnvironment } from "@devflow/harness";
import { lazyPrices } from "@devflow/prices";
import { createFakeAdapter, fenced } from "@devflow/session";
import type { Hono } from "hono";
import { adaptersOf, backendsOf, type DrivenAgent } from "./agents/driven-agent.ts";
import type { RunBrain } from "./brain/index.ts";
import { createDefinitionStore, type DefinitionStore } from "./definitions/index.ts";
import { openChainSigner } from "./engine/chain-signer.ts";
import {
  defaultTiming,
  type EngineContext,
  type EngineTiming,
  noSandbox,
  type SandboxSettings,
} from "./engine/context.ts";
import { createRunEngine } from "./engine/create-run-engine.ts";
import type { RunDriver } from "./engine/driver.ts";
import { createInlineDriver } from "./engine/inline-driver.ts";
import type { RunEngine } from "./engine/run-engine.ts";
import { engineProblems } from "./fleet/fleet-view.ts";
import type { RunsEnv } from "./http/request.ts";
import { openLanes } from "./lanes/wake-kin.ts";
import { createRunFeed } from "./live/run-feed.ts";
import { noticeTypes } from "./notifications/compose-message.ts";
import { createNotifier } from "./notifications/notifier.ts";
import type { Webhook } from "./notifications/send-message.ts";
import { runsRoutes } from "./routes.ts";
import { type StreamTurn, streamTurn, transcriptEnds } from "./views/index.ts";

export interface RunsOptions {
  readonly database: Database;
  readonly log: Log;
  readonly clock?: Clock;
  /** Devflow's home: the user's own definitions and the signing key are there. */
  readonly home: string;
  /** This machine's stable id; runs of other machines are left alone. */
  readonly host: string;
  readonly workspaceRoot: string;
  readonly env: Environment;
  /** Names of variables that the person lets agents and commands have. */
  readonly passEnvironment?: readonly string[];
  /** Asked whenever it counts, so that a change of the setting takes effect at once. */
  readonly maxConcurrentRuns: () => number;
  /** The settings `sandbox…`, asked whenever they count. */
  readonly sandbox?: () => SandboxSettings;
  /** The setting `forges`, asked whenever it counts. */
  readonly forges?: () => readonly string[];
  /** Where to tell of gates, failures and completions; asked whenever there is something to tell. */
  readonly webhook?: () => Webhook | undefined;
  /** How to start a fake agent; its folder is appended. */
  readonly fakeAgentCommand: readonly string[];
  /** How to start the holder of a real agent; its folder is appended. */
  readonly holderCommand: readonly string[];
  /** The program of an agent's hooks in a terminal; the socket is appended. */
  readonly hookCommand: readonly string[];
  /** The first program in an agent's sandbox; what it is to do is appended. */
  readonly insideCommand?: readonly string[];
  /** The real agents of this machine. */
  readonly agents: readonly DrivenAgent[];
  /** What the team knows about files, for prompts. */
  readonly brain?: Pick<RunBrain, "contextFor">;
  readonly timing?: Partial<EngineTiming>;
  readonly fakeDelayMs?: number;
  /** The engine of new runs; by default inline. */
  readonly engine?: EngineName;
  /** What drives runs in this process; by default the inline driver. */
  readonly driver?: DriverChoice;
}

export interface DriverChoice {
  /** Runs of the other engine are left alone. */
  readonly engine: EngineName;
  create(context: EngineContext): RunDriver;
}

const inline: DriverChoice = { engine: "inline", create: createInlineDriver };

export interface Runs {
  readonly engine: RunEngine;
  readonly context: EngineContext;
  /** To be mounted under `/api`. */
  readonly routes: Hono<RunsEnv>;
  readonly live: RunsLive;
  /** What a restart would disturb, as text. */
  busy(): Promise<string[]>;
  /** What is wrong and stops nobody, as text. */
  problems(): Promise<string[]>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** What live streams read; see `StreamTurn`. */
export interface RunsLive {
  turn(
    claims: Claims,
    runId: string,
    cursors: { readonly after: number; readonly transcripts: ReadonlyMap<string, number> },
  ): Promise<StreamTurn | undefined>;
  transcriptEnds(claims: Claims, runId: string): Promise<Map<string, number>>;
  follow(runId: string, wake: () => void): () => void;
  onVisible(listen: () => void): () => void;
}

export async function openRuns(options: RunsOptions): Promise<Runs> {
  const {
    database,
    log,
    clock = systemClock,
    home,
    workspaceRoot,
    passEnvironment = [],
    engine: forNew = "inline",
  } = options;
  const chosen = options.driver ?? inline;
  await prepareWorkspace(workspaceRoot);
  const env = inheritedEnvironment(options.env);
  const feed = createRunFeed({ database, log });
  const webhook = options.webhook ?? (() => undefined);
  const notifier = createNotifier({ database, host: options.host, clock, log, webhook });
  const context: EngineContext = {
    database,
    clock,
    log,
    host: options.host,
    engine: forNew,
    home,
    workspaceRoot,
    adapters: {
      ...adaptersOf(options.agents, {
        env,
        passEnvironment,
        holderCommand: options.holderCommand,
        hookCommand: options.hookCommand,
        insideCommand: options.insideCommand ?? [],
      }),
      fake: fenced(
        createFakeAdapter({
          agentCommand: options.fakeAgentCommand,
          environment: (repository) => agentEnvironment(env, { person: passEnvironment, repository }),
          ...(options.fakeDelayMs === undefined ? {} : { defaultDelayMs: options.fakeDelayMs }),
        }),
      ),
    },
    backends: { fake: { available: true }, ...backendsOf(options.agents) },
    env,
    passEnvironment,
    maxConcurrentRuns: options.maxConcurrentRuns,
    forges: options.forges ?? (() => []),
    sandbox: options.sandbox ?? (() => noSandbox),
    timing: { ...defaultTiming, ...options.timing },
    price: lazyPrices({ overlayFile: join(home, "prices.json") }),
    signer: await openChainSigner(homeAt(home)),
    stepFailures: new Map(),
    ...(options.brain ? { brain: options.brain } : {}),
    onCommitted(runId, events) {
      feed.committed(runId, events);
      if (events.some(({ type }) => noticeTypes.has(type))) notifier.wake();
    },
    onTranscript: (runId) => feed.transcribed(runId),
  };
  // Reading them takes 60 ms, and a run that resumes after a restart does not need it: its own are in the database.
  const definitions = createDefinitionStore({ home, database, log });
  const driver = chosen.create(context);
  const engine = withDefinitions(createRunEngine(context, driver), definitions);
  // A person may decide through another process that serves the same database.
  feed.onForeign((runId) => {
    driver.nudge(runId);
    if (runId !== undefined)
      void bestEffort("wake the lanes of a run", log, async () => {
        for (const lane of await openLanes(database, runId)) driver.nudge(lane);
      });
  });
  let hosting: HeldLock | undefined;
  return {
    engine,
    context,
    routes: runsRoutes({ context, engine, definitions }),
    live: {
      async turn(claims, runId, cursors) {
        const turn = await streamTurn({ database, claims }, runId, cursors);
        return turn && { ...turn, failedAt: context.stepFailures.get(runId)?.at ?? turn.failedAt };
      },
      transcriptEnds: (claims, runId) => transcriptEnds({ database, claims }, runId),
      follow: feed.follow,
      onVisible: feed.onVisible,
    },
    busy: () => busyWith(context, chosen.engine),
    async problems() {
      await definitions.ensure();
      const faults = definitions.faults().map(({ problem }) => problem);
      return [...faults, ...(await notifier.problems()), ...(await engineProblems(context))];
    },
    async start() {
      hosting = await takeHost(context, chosen.engine);
      void hosting.lost.then(() => {
        log.error({ host: options.host }, "another server has taken over the agents of this machine");
        return engine.stop();
      });
      await feed.start();
      await engine.start();
      notifier.start();
    },
    async stop() {
      await engine.stop();
      await notifier.stop();
      await feed.stop();
      await hosting?.release();
    },
  };
}

function withDefinitions(engine: RunEngine, definitions: DefinitionStore): RunEngine {
  return {
    ...engine,
    async startRun(...words) {
      await definitions.ensure();
      return await engine.startRun(...words);
    },
    async forkRun(...words) {
      await definitions.ensure();
      return await engine.forkRun(...words);
    },
    async previewRun(...words) {
      await definitions.ensure();
      return await engine.previewRun(...words);
    },
  };
}

/**
 * Agents live on one machine, so one server drives them. A second one with the same id (a copied home on the same database)
 * would not harm a run, since each has one driver at a time, but runs would change hands for ever.
 */
async function takeHost({ database, host, home }: EngineContext, engine: EngineName): Promise<HeldLock> {
  // A server and a worker of one machine have different runs.
  const held = await database.hold(`devflow:${engine === "inline" ? "session" : engine}-host:${host}`);
  if (held) return held;
  throw new DevflowError("session_host_taken", { details: { host, file: homeAt(home).machineIdFile } });
}

/** Active runs. A run that waits for a person can wait without a server. */
async function busyWith({ database, host }: EngineContext, engine: EngineName): Promise<string[]> {
  const [row] = await database.asEngine(
    (tx) => tx<{ count: number }[]>`
      select count(*)::int as count from app.runs
      where host = ${host} and engine = ${engine} and not queued and state in ('created', 'bound', 'planning', 'executing')`,
  );
  const count = row?.count ?? 0;
  return count === 0 ? [] : [count === 1 ? "1 run" : `${count} runs`];
}

async function prepareWorkspace(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new DevflowError("workspace_permissions", {
      details: { path, reason: (error as Error).message },
      cause: error,
    });
  }
}
