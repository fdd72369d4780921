/**
 * A fleet on one machine, for tests: a server, a Temporal server, a remote, and workers as processes with homes of their own,
 * which connect to Postgres as workers on other machines do.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isSameProcess, type ProcessProof } from "@devflow/core/process-proof";
import { connectAsAdmin } from "@devflow/db";
import { git } from "@devflow/git";
import { planPhase, smallTemplate, Template, templateHash, workPhase } from "@devflow/runs/testing";
import {
  type RunningProcess,
  startProcess,
  type TemporaryHome,
  temporaryFolder,
  temporaryHome,
} from "@devflow/testkit";
import { startRunsServer } from "@devflow/testkit/runs-server";
import { startTemporal } from "@devflow/testkit/temporal-server";

const program = fileURLToPath(new URL("../src/main.ts", import.meta.url));
const password = "of-the-workers";

export interface FleetWorker {
  readonly name: string;
  readonly home: TemporaryHome;
  /** The running one; `start` replaces it. */
  process: RunningProcess;
  kill(): Promise<void>;
  /** Again in the same home, as after a restart of the machine. */
  start(): Promise<void>;
}

export interface StartOptions {
  readonly template?: string;
  readonly queue?: boolean;
  readonly attachments?: readonly string[];
  /** What fake agents do in lanes, by task. */
  readonly lanes?: Readonly<Record<string, unknown>>;
}

function sessionFiles(home: TemporaryHome, runId: string, name: string): string[] {
  const folder = join(home.devflowHome, "workspaces", runId, "sessions");
  const sessions = existsSync(folder) ? readdirSync(folder) : [];
  return sessions.map((session) => join(folder, session, name)).filter((path) => existsSync(path));
}

export async function openFleet({ patienceMs = 60_000 } = {}) {
  const temporal = await startTemporal();
  const server = await startRunsServer();
  const admin = connectAsAdmin(server.database.target, server.database.name);
  await admin.unsafe(`alter role devflow_worker login password '${password}'`);
  const remote = join(temporaryFolder("remote"), "shop.git");
  const place = { cwd: server.repository, env: server.home.environment() };
  await git(["init", "--bare", "--quiet"], { ...place, paths: [remote] });
  await git(["remote", "add", "origin", remote], place);
  await git(["push", "--quiet"], { ...place, protocols: ["file"], revisions: ["origin", "main"] });
  const addTemplate = async (given: Parameters<typeof Template.parse>[0]): Promise<void> => {
    const template = Template.parse(given);
    await admin`
      insert into app.workflow_templates (name, version, hash, definition)
      values (${template.name}, ${template.version}, ${templateHash(template)}, ${admin.json(template as never)})`;
  };
  await addTemplate(smallTemplate("moving", [{ ...planPhase, gates: ["plan_approved"] }, workPhase]));
  const workers: FleetWorker[] = [];

  const makeToken = async (teamId = server.teamId, userId = server.userId): Promise<string> => {
    const [row] = await server.database.database.withClaims(
      { sub: userId, role: "authenticated" },
      (tx) => tx<{ token: string }[]>`select token from api.create_token(${teamId}, 'a worker', '{worker}')`,
    );
    return row?.token ?? "";
  };
  const { host, port } = server.database.target;
  const databaseUrl = `postgres://devflow_worker:${password}@localhost:${port}/${server.database.name}?host=${encodeURIComponent(host)}`;

  /** Part of the message when a test fails. */
  const told = async (): Promise<string> => {
    const runs = await admin`
      select id, state, host, queued, driver_epoch, step_failure, failure_reason from app.runs order by created_at desc limit 3`;
    const output = workers.map((one) => `${one.name}: ${one.process.output().stderr.slice(-2_000)}`);
    return [...runs.map((run) => JSON.stringify(run)), ...output].join("\n");
  };
  const until = async <T>(what: string, look: () => Promise<T | undefined | false>): Promise<T> => {
    for (const end = Date.now() + patienceMs; ; await Bun.sleep(50)) {
      const found = await look();
      if (found) return found;
      if (Date.now() > end) throw new Error(`not within ${patienceMs} ms: ${what}\n${await told()}`);
    }
  };

  const addWorker = async (name: string, settings: Readonly<Record<string, string>> = {}): Promise<FleetWorker> => {
    const home = temporaryHome();
    mkdirSync(home.devflowHome, { recursive: true, mode: 0o700 });
    writeFileSync(join(home.devflowHome, "machine-id"), `${name}\n`, { mode: 0o600 });
    const env = home.environment({
      DEVFLOW_DATABASE_URL: databaseUrl,
      DEVFLOW_TEMPORAL_ADDRESS: temporal.address,
      DEVFLOW_WORKER_TOKEN: await makeToken(),
      DEVFLOW_WORKER_BEAT_SECONDS: "1",
      DEVFLOW_WORKER_SUSPECT_SECONDS: "2",
      DEVFLOW_WORKER_LOST_SECONDS: "4",
      DEVFLOW_LOG_LEVEL: "warn",
      ...settings,
    });
    const begin = async () => {
      const running = startProcess([process.execPath, program], { env });
      await running.waitForOutput(/drives runs on/, patienceMs);
      return running;
    };
    const worker: FleetWorker = {
      name,
      home,
      process: await begin(),
      async kill() {
        worker.process.signal("SIGKILL");
        await worker.process.ended;
      },
      async start() {
        worker.process = await begin();
      },
    };
    workers.push(worker);
    return worker;
  };

  return {
    ...{ server, temporal, admin, remote, databaseUrl, makeToken, addTemplate, addWorker, until },
    async startRun(
      on: string,
      script: Readonly<Record<string, unknown>> = {},
      { template = "moving@1", lanes, ...rest }: StartOptions = {},
    ): Promise<string> {
      const body = {
        ...{ template, repository: server.repository, requirements: "Greet", on, ...rest },
        ...{ clientToken: crypto.randomUUID(), extra: { fake: { script, delayMs: 5, ...(lanes ? { lanes } : {}) } } },
      };
      const answer = await server.call("/api/runs", { body });
      if (answer.status !== 201) {
        const { code, message } = answer.json.error;
        throw Object.assign(new Error(message), { code });
      }
      return answer.json.runId;
    },
    openGates: async () =>
      (await server.call("/api/approvals?state=pending")).json.approvals as {
        readonly id: string;
        readonly gate: string;
      }[],
    /** The open gate of a run, and what it is called. */
    gate: (runId: string) =>
      until(`a gate of ${runId}`, async () => {
        const { json } = await server.call("/api/approvals?state=pending");
        return json.approvals.find((one: { runId: string }) => one.runId === runId) as
          | { readonly id: string; readonly gate: string; readonly detail: string | null }
          | undefined;
      }),
    async decide(approvalId: string, verdict = "approve", more: { readonly choice?: string } = {}): Promise<number> {
      const body = { verdict, clientToken: crypto.randomUUID(), ...more };
      return (await server.call(`/api/approvals/${approvalId}/decisions`, { body })).status;
    },
    async abort(runId: string): Promise<void> {
      const { status, text } = await server.call(`/api/runs/${runId}/abort`, { body: { clientToken: runId } });
      if (status !== 200) throw new Error(`run ${runId} was not aborted: ${text}`);
    },
    phase: (runId: string, key: string, state: string) =>
      until(`${key} is ${state}`, async () => {
        const { json } = await server.call(`/api/runs/${runId}/phases`);
        return json.phases.some((one: { key: string; state: string }) => one.key === key && one.state === state);
      }),
    closed: (runId: string) =>
      until(`${runId} is closed`, async () => {
        const { json } = await server.call(`/api/runs/${runId}`);
        return ["completed", "failed", "aborted"].includes(json.state) && json.hasReport ? json : undefined;
      }),
    /** What the agents of a run on this machine wrote. */
    transcripts: ({ home }: FleetWorker, runId: string): string =>
      sessionFiles(home, runId, "transcript.log")
        .map((path) => readFileSync(path, "utf8"))
        .join(""),
    livingAgents: ({ home }: FleetWorker, runId: string): readonly string[] =>
      sessionFiles(home, runId, "process.json").filter((path) =>
        isSameProcess(JSON.parse(readFileSync(path, "utf8")) as ProcessProof),
      ),
    /** The refs of a run's work on the remote. */
    async workRefs(runId: string): Promise<string[]> {
      const words = { ...place, protocols: ["file" as const], revisions: [remote, `refs/devflow/runs/${runId}/*`] };
      const { stdout } = await git(["ls-remote", "--refs"], words);
      return stdout.split("\n").flatMap((line) => line.split("\t")[1] ?? []);
    },
    async close(): Promise<void> {
      for (const worker of workers) await worker.process.stop(5_000);
      await admin.end();
      await server.stop();
      await temporal.stop();
    },
  };
}
