/**
 * The crash matrix: for each path of a run, the engine's process is killed at each fault point that the path visits,
 * started again, and what comes of it is held against the same path undisturbed.
 *
 * - `openMatrix({ agent })` → `visits(path)` the points of an undisturbed run with how often each is visited, and
 *   `cell(path, point, visit)` the faults of one killing: none, when all is as undisturbed.
 *   `gauntlet(path, points)` one run that is killed at all of these points, one after the other.
 *   `fullDisk(path)` the disk of the worktrees and sessions is full after each decision, and free again a little later.
 *   `killedPostgres(path)` Postgres is killed again and again during a run, and started each time.
 *   `killedTemporal(path, server)` the same with the Temporal server.
 *   `frozen(path)` the engine is frozen while an agent works, another one ends the run, and the first is let go on.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isSameProcess, type ProcessProof } from "@devflow/core/process-proof";
import type { Database } from "@devflow/db";
import { agentPrograms, type DrivenAgent, fakeEngineContext, openEngineBench, verifyRun } from "@devflow/runs/testing";
import { killAt, type ProcessResult, runProcess, startProcess, temporaryFolder } from "@devflow/testkit";
import { openSmallDisk } from "@devflow/testkit/small-disk";
import type { BunPlugin } from "bun";
import { openOwnPostgres } from "./own-postgres.ts";
import { type CellInput, chaosRepository, chaosTemplates, type PathName, realTemplate } from "./paths.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

export interface Matrix {
  visits(path: PathName): Promise<ReadonlyMap<string, number>>;
  /** Every visit of an undisturbed run, in order. */
  sequence(path: PathName): Promise<readonly string[]>;
  cell(path: PathName, point: string, visit: number): Promise<string[]>;
  gauntlet(path: PathName, points: readonly string[]): Promise<{ kills: number; faults: string[] }>;
  frozen(path: PathName): Promise<string[]>;
  fullDisk(path: PathName): Promise<{ failures: number; faults: string[] }>;
  killedPostgres(path: PathName): Promise<{ kills: number; faults: string[] }>;
  killedTemporal(
    path: PathName,
    server: { kill(): Promise<void>; start(): Promise<void> },
  ): Promise<{ kills: number; faults: string[] }>;
  close(): Promise<void>;
}

const mostKills = 5;
const killEveryMs = 500;

interface Outcome {
  /** Of one machine: a run, its fork if there is one, its lanes. */
  readonly runIds: readonly string[];
  readonly state: string;
  readonly events: readonly string[];
}

export interface MatrixOptions {
  /** A real agent for the path of that name, and what it needs in its environment. */
  readonly agent?: DrivenAgent;
  readonly env?: Readonly<Record<string, string>>;
  /** The cells run on this server, and are held against the same path inline. */
  readonly temporal?: { readonly address: string; readonly namespace: string };
}

export async function openMatrix({ agent, env = {}, temporal }: MatrixOptions = {}): Promise<Matrix> {
  const bench = await openEngineBench({ files: chaosRepository, env });
  const templates = agent ? [realTemplate(agent.backend)] : chaosTemplates;
  for (const template of templates) await bench.addTemplate(template);
  if (agent)
    await bench.addPersona({
      name: "chaos-architect",
      version: 1,
      backend: agent.backend,
      capabilities: ["phase_planning"],
      maxRiskLevel: "high",
      promptConfig: {},
      modelConfig: {},
    });
  const real = agent ? { agents: [agent], programs: agentPrograms } : {};
  // This engine only lends its database and repository; nothing of it may run beside the one that is killed.
  await bench.engine.stop();
  const scratch = temporaryFolder("chaos");
  const engines = await bundleEngines(temporal !== undefined);
  const undisturbed = new Map<PathName, Promise<{ outcome: Outcome; sequence: readonly string[] }>>();
  let cells = 0;

  const run = (input: CellInput, fault: Readonly<Record<string, string>>): Promise<ProcessResult> =>
    runProcess([process.execPath, engines.path(input), JSON.stringify(input)], {
      env: { ...input.env, ...fault },
      timeoutMs: 240_000,
    });

  const inputFor = (path: PathName): CellInput => {
    cells += 1;
    const { host, port, user, password } = bench.target;
    return {
      path,
      target: { host, port, user, password: password.reveal() },
      database: bench.databaseName,
      env: bench.context.env as Record<string, string>,
      folder: join(bench.context.workspaceRoot, ".."),
      host: `cell-${cells}`,
      repository: bench.repository,
      teamId: bench.teamId,
      userId: bench.person.userId ?? "",
      ...real,
      ...(temporal ? { temporal } : {}),
    };
  };

  const outcomeOf = async ({ host, folder }: CellInput, database = bench.database): Promise<Outcome> => {
    const runs = await database.asEngine(
      (tx) => tx<{ id: string; state: string }[]>`
        select id, state from app.runs where host = ${host}
        order by parent_run_id is not null, lane_id, lane_try, created_at, id`,
    );
    if (runs.length === 0) throw new Error(`no run of ${host}`);
    const runIds = runs.map((one) => one.id);
    const events = await database.asEngine(
      (tx) => tx<{ type: string; payload: Record<string, unknown> }[]>`
        select e.type, e.payload from app.run_events e
        join jsonb_array_elements_text(${tx.json(runIds)}) with ordinality f (id, place) on f.id::uuid = e.run_id
        order by f.place, e.seq`,
    );
    const told = events.filter(({ type }) => !["session.crashed", "session.recovered"].includes(type));
    const lines = told.map((one) => lineOf(one).replaceAll(folder, "<folder>"));
    const state = runs.map((one) => one.state).join(", then ");
    return { runIds, state, events: usageLast(lines) };
  };

  const reference = (path: PathName) => {
    const known = undisturbed.get(path) ?? undisturb(path);
    undisturbed.set(path, known);
    return known;
  };

  const undisturb = async (path: PathName) => {
    // Both engines are held against the inline one.
    const { temporal: _, ...input } = inputFor(path);
    const log = join(scratch, input.host);
    const done = await run(input, { DEVFLOW_FAULT_LOG: log });
    if (done.code !== 0) throw new Error(`the undisturbed ${path} path ended with ${done.code}: ${done.stderr}`);
    return { outcome: await outcomeOf(input), sequence: readFileSync(log, "utf8").trim().split("\n") };
  };

  /** What is not as undisturbed. */
  const faultsOf = async (path: PathName, input: CellInput, database = bench.database): Promise<string[]> => {
    const { outcome: expected } = await reference(path);
    const outcome = await outcomeOf(input, database);
    const context = await contextOf(input, database);
    const faults = [
      ...(outcome.state === expected.state ? [] : [`ended ${outcome.state} instead of ${expected.state}`]),
      ...differences(expected.events, outcome.events),
    ];
    for (const runId of outcome.runIds) {
      const folder = join(input.folder, "workspaces", runId);
      const checks = (await verifyRun(context, runId)).checks.filter((one) => !one.ok);
      faults.push(
        ...(await sentTwice(folder)),
        ...(await leftAgents(folder)),
        ...(await cutTranscripts(database, runId, folder)),
        ...checks.map((one) => `verify: ${one.name}: ${one.detail}`),
      );
    }
    return faults;
  };

  /** As the cell's machine has it: others know only what is in Postgres. */
  const contextOf = ({ env, folder, host }: CellInput, database: Database) =>
    folder === join(bench.context.workspaceRoot, "..") && database === bench.database
      ? { ...bench.context, host }
      : fakeEngineContext({ database, env, folder, host });

  /** To its end, without a fault. */
  const letEnd = async (input: CellInput): Promise<string[]> => {
    const again = await run(input, {}).catch((error: Error) => error);
    if (again instanceof Error) return [`did not end after the restart: ${again.message.slice(0, 200)}`];
    return again.code === 0 ? [] : [`the restarted engine ended with ${again.code}: ${again.stderr.slice(-500)}`];
  };

  const untilWaiting = async (host: string): Promise<void> => {
    for (let rows: readonly unknown[] = []; rows.length === 0; await Bun.sleep(10))
      rows = await bench.admin`
        select from app.run_phases p join app.runs r on r.id = p.run_id where r.host = ${host} and p.state = 'awaiting_artifact'`;
  };

  return {
    sequence: async (path) => (await reference(path)).sequence,
    async visits(path) {
      const visits = new Map<string, number>();
      for (const name of (await reference(path)).sequence) visits.set(name, (visits.get(name) ?? 0) + 1);
      return visits;
    },
    async cell(path, point, visit) {
      const input = inputFor(path);
      const killed = await run(input, killAt(point, visit));
      if (killed.killedBy !== "SIGKILL") return [`was not killed: ${killed.code} ${killed.stderr.slice(-500)}`];
      const stuck = await letEnd(input);
      return stuck.length > 0 ? stuck : await faultsOf(path, input);
    },
    async gauntlet(path, points) {
      const input = inputFor(path);
      let kills = 0;
      for (const point of points) {
        const killed = await run(input, killAt(point));
        if (killed.killedBy === "SIGKILL") kills += 1;
        else return { kills, faults: [`${point} was not reached: ${killed.code} ${killed.stderr.slice(-300)}`] };
      }
      const stuck = await letEnd(input);
      return { kills, faults: stuck.length > 0 ? stuck : await faultsOf(path, input) };
    },
    async frozen(path) {
      const input = inputFor(path);
      const first = startProcess([process.execPath, engines.path(input), JSON.stringify(input)], { env: input.env });
      await untilWaiting(input.host);
      process.kill(first.pid, "SIGSTOP");
      const stuck = await letEnd(input);
      process.kill(first.pid, "SIGCONT");
      const { code, stderr } = await first.ended;
      const left = code === 0 ? [] : [`the engine that was frozen ended with ${code}: ${stderr.slice(-500)}`];
      return [...stuck, ...left, ...(await faultsOf(path, input))];
    },
    async fullDisk(path) {
      const usual = inputFor(path);
      const disk = openSmallDisk(usual.folder);
      try {
        const input = { ...usual, folder: disk.path, smallDisk: disk.path };
        const { code, stdout, stderr } = await run(input, {});
        if (code !== 0) return { failures: 0, faults: [`the engine ended with ${code}: ${stderr.slice(-500)}`] };
        const { failures } = JSON.parse(stdout) as { failures: number };
        return { failures, faults: await faultsOf(path, input) };
      } finally {
        disk.close();
      }
    },
    async killedPostgres(path) {
      const own = await openOwnPostgres(chaosTemplates);
      try {
        const { host, port, user, password } = own.target;
        const target = { host, port, user, password: password.reveal() };
        const input = { ...inputFor(path), target, database: own.name, teamId: own.teamId, userId: own.userId };
        let isOver = false;
        const ending = run(input, {}).finally(() => {
          isOver = true;
        });
        const isBegun = () =>
          outcomeOf(input, own.database).then(
            () => true,
            () => false,
          );
        while (!isOver && !(await isBegun())) await Bun.sleep(20);
        let kills = 0;
        for (; !isOver && kills < mostKills; kills++) {
          await Promise.race([ending, Bun.sleep(killEveryMs)]);
          if (!isOver) await own.kill();
        }
        const { code, stderr } = await ending;
        if (code !== 0) return { kills, faults: [`the engine ended with ${code}: ${stderr.slice(-500)}`] };
        return { kills, faults: await faultsOf(path, input, own.database) };
      } finally {
        await own.close();
      }
    },
    async killedTemporal(path, server) {
      const input = inputFor(path);
      let isOver = false;
      const ending = run(input, {}).finally(() => {
        isOver = true;
      });
      const isBegun = () =>
        outcomeOf(input).then(
          () => true,
          () => false,
        );
      while (!isOver && !(await isBegun())) await Bun.sleep(20);
      let kills = 0;
      for (; !isOver && kills < mostKills; kills++) {
        await Promise.race([ending, Bun.sleep(killEveryMs)]);
        if (isOver) break;
        await server.kill();
        await Bun.sleep(killEveryMs);
        await server.start();
      }
      const { code, stderr } = await ending;
      if (code !== 0) return { kills, faults: [`the engine ended with ${code}: ${stderr.slice(-500)}`] };
      return { kills, faults: await faultsOf(path, input) };
    },
    async close() {
      await bench.close();
      engines.remove();
    },
  };
}

/**
 * An engine as one file, inside the project so that it finds its packages. It is started 250 times, and from
 * its sources half of the processor time went into reading 1,200 modules again.
 */
async function bundleEngines(withTemporal: boolean): Promise<{ path(cell: CellInput): string; remove(): void }> {
  mkdirSync(join(root, ".cache"), { recursive: true });
  const outdir = mkdtempSync(join(root, ".cache/chaos-"));
  for (const name of withTemporal ? ["inline-engine", "temporal-engine"] : ["inline-engine"]) {
    const entry = fileURLToPath(new URL(`./${name}.ts`, import.meta.url));
    // The SDK finds its native library and its thread by their place in node_modules.
    const external = ["@temporalio/*"];
    const plugins = withTemporal ? [await workflowInside()] : [];
    await Bun.build({ entrypoints: [entry], outdir, target: "bun", external, plugins, throw: true });
  }
  return {
    path: ({ temporal }) => join(outdir, temporal ? "temporal-engine.js" : "inline-engine.js"),
    remove: () => rmSync(outdir, { recursive: true, force: true }),
  };
}

/** A bundled engine no longer lies beside the sources of the workflow. */
async function workflowInside(): Promise<BunPlugin> {
  const { workflowCode } = await import("@devflow/worker/workflow-code");
  const contents = `export const workflowCode = async () => ${JSON.stringify(await workflowCode())};`;
  return {
    name: "workflow-inside",
    setup: (build) => void build.onLoad({ filter: /workflow\/workflow-code\.ts$/ }, () => ({ contents, loader: "js" })),
  };
}

/** Agents that work at the same time report their usage in any order. */
function usageLast(lines: readonly string[]): string[] {
  const isUsage = (line: string) => line.startsWith("usage.recorded ");
  return [...lines.filter((one) => !isUsage(one)), ...lines.filter(isUsage).sort()];
}

/** An artifact that does not speak of ids is the same in every run, or it is another attempt's. */
function lineOf({ type, payload }: { type: string; payload: Record<string, unknown> }): string {
  const isSame = type === "artifact.validated" && /spec|plan|change/.test(String(payload.schema));
  return plain(`${type} ${JSON.stringify(payload)}${isSame ? ` ${String(payload.hash).slice(0, 16)}` : ""}`);
}

/** Times, ids and hashes differ from run to run; everything else must not. */
function plain(text: string): string {
  return (
    text
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>")
      .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "<id>")
      .replace(/\b[0-9a-f]{64}\b|\b[0-9a-f]{40}\b/g, "<hash>")
      // Of another run's log, which may have more about its sessions.
      .replace(/"seq":\d+/g, '"seq":<n>')
      .replace(/\bdevflow\/[0-9a-f]{8}\//g, "devflow/<run>/")
      .replace(/permission-[0-9a-f]{12}/g, "<permission>")
  );
}

function differences(expected: readonly string[], found: readonly string[]): string[] {
  const at = expected.findIndex((one, index) => one !== found[index]);
  if (at === -1 && expected.length === found.length) return [];
  const place = at === -1 ? expected.length : at;
  return [`event ${place + 1} is ${found[place] ?? "missing"} instead of ${expected[place] ?? "nothing"}`];
}

async function sessionFolders(run: string): Promise<string[]> {
  const names = await readdir(join(run, "sessions")).catch(() => []);
  return names.map((name) => join(run, "sessions", name));
}

/** By the agents' own journals. */
async function sentTwice(run: string): Promise<string[]> {
  const keys: string[] = [];
  for (const folder of await sessionFolders(run)) {
    const journal = await readFile(join(folder, "journal.jsonl"), "utf8").catch(() => "");
    for (const line of journal.split("\n").filter(Boolean))
      keys.push((JSON.parse(line) as { dedupKey: string }).dedupKey);
  }
  return keys.filter((key, index) => keys.indexOf(key) < index).map((key) => `prompt ${key} was received twice`);
}

async function leftAgents(run: string): Promise<string[]> {
  const left: string[] = [];
  for (const folder of await sessionFolders(run)) {
    const text = await readFile(join(folder, "process.json"), "utf8").catch(() => undefined);
    if (text && isSameProcess(JSON.parse(text) as ProcessProof)) left.push(`an agent is left: ${text}`);
  }
  return left;
}

/** What is stored of each agent's screen, against the screen itself. */
async function cutTranscripts(database: Database, runId: string, run: string): Promise<string[]> {
  const rows = await database.asEngine(
    (tx) => tx<{ id: string; text: string | null }[]>`
      select s.id, (select string_agg(c.content, '' order by c.seq) from app.transcript_chunks c where c.session_id = s.id) as text
      from app.sessions s where s.run_id = ${runId}`,
  );
  const faults: string[] = [];
  for (const { id, text } of rows) {
    const screen = await readFile(join(run, "sessions", id, "transcript.log"), "utf8").catch(() => "");
    const stored = text ?? "";
    if (stored !== screen) faults.push(`the transcript of ${id} has ${stored.length} of ${screen.length} characters`);
  }
  return faults;
}
