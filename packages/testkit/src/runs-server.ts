/**
 * A server with runs on a free port, with its own database, fake agents as separate processes, and a repository to work on.
 * Its home has it in server.json, so that `runCli` finds it like any running server.
 */
import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { writeFileAtomic } from "@devflow/core/atomic-file";
import { homeAt } from "@devflow/core/home";
import { uuidv7 } from "@devflow/core/ids";
import { proofOfSelf } from "@devflow/core/process-proof";
import { Secret } from "@devflow/core/secret";
import { version } from "@devflow/core/version";
import { initRepository } from "@devflow/git";
import { openRuns, type Runs } from "@devflow/runs";
import { endSessions } from "@devflow/runs/testing";
import { mountRuns, type RunningServer, startServer } from "@devflow/server";
import { ensureLocalUser } from "@devflow/server/testing";
import { quietLog, type TestDatabase, testDatabase } from "./database.ts";
import { devflowCommand } from "./run-cli.ts";
import { signToken } from "./sign-token.ts";
import { type TemporaryHome, temporaryHome } from "./temporary-home.ts";

export interface RunsServer {
  readonly home: TemporaryHome;
  readonly server: RunningServer;
  readonly url: string;
  readonly database: TestDatabase;
  readonly runs: Runs;
  readonly repository: string;
  readonly teamId: string;
  readonly userId: string;
  readonly token: string;
  /** Another person, in another team. */
  readonly stranger: { readonly id: string; readonly token: string };
  call(path: string, options?: CallOptions): Promise<CallAnswer>;
  stop(): Promise<void>;
}

export interface CallOptions {
  readonly body?: unknown;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface CallAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape
  readonly json: any;
}

export async function startRunsServer({
  maxConcurrentRuns = 8,
  forges = [],
  webhook,
  brain,
  env: moreEnv = {},
}: {
  readonly maxConcurrentRuns?: number;
  /** The setting `forges`. */
  readonly forges?: readonly string[];
  readonly webhook?: Parameters<typeof openRuns>[0]["webhook"];
  /** What the team knows, for prompts. */
  readonly brain?: (home: string, env: Readonly<Record<string, string>>) => Parameters<typeof openRuns>[0]["brain"];
  /** Besides the variables of an unconfigured machine. */
  readonly env?: Readonly<Record<string, string>>;
} = {}): Promise<RunsServer> {
  const home = temporaryHome({ isKept: true });
  mkdirSync(home.devflowHome, { recursive: true, mode: 0o700 });
  const database = await testDatabase({ poolSize: 8 });
  const repository = join(home.path, "shop");
  const env = home.environment(moreEnv);
  await initRepository(repository, { files: { "README.md": "# Shop\n" }, message: "Start", env });
  const user = await ensureLocalUser(database.database, { name: "Ada" });
  const known = brain?.(home.devflowHome, env);
  const runs = await openRuns({
    database: database.database,
    log: quietLog,
    home: home.devflowHome,
    host: "test-machine",
    workspaceRoot: join(home.devflowHome, "workspaces"),
    env,
    maxConcurrentRuns: () => maxConcurrentRuns,
    forges: () => forges,
    ...(webhook ? { webhook } : {}),
    ...(known ? { brain: known } : {}),
    fakeAgentCommand: [...devflowCommand(), "fake-agent"],
    holderCommand: [],
    hookCommand: [],
    agents: ["claude", "codex"].map((backend) => ({ backend, available: false, reason: "not in this test" })),
    fakeDelayMs: 20,
  });
  const token = randomBytes(32).toString("base64url");
  const signingKey = randomBytes(48).toString("base64url");
  const server = await startServer({
    config: { host: "127.0.0.1", port: 0, allowHosts: [] },
    database: database.database,
    version,
    log: quietLog,
    machineToken: new Secret(token),
    signingKey: new Secret(signingKey),
    userName: "Ada",
    systems: { runs: async (parts) => mountRuns(runs, parts) },
  });
  await runs.start();
  const state = { ...proofOfSelf(), host: server.host, port: server.port, token, version };
  await writeFileAtomic(
    homeAt(home.devflowHome).serverFile,
    JSON.stringify({ ...state, startedAt: new Date().toISOString() }),
  );
  const strangerId = uuidv7();
  await database.database.asEngine((tx) => tx`select app.ensure_user(${strangerId}::uuid, 'Mallory', null)`);
  await database.database.withClaims(
    { sub: strangerId, role: "authenticated" },
    (tx) => tx`select id from api.create_team('Strangers', 'strangers')`,
  );
  return {
    home,
    server,
    url: server.url,
    database,
    runs,
    repository,
    teamId: user.teams[0]?.id ?? "",
    userId: user.id,
    token,
    stranger: { id: strangerId, token: signToken(strangerId, signingKey) },
    async call(path, { body, token: as = token, headers = {} } = {}) {
      const answer = await fetch(`${server.url}${path}`, {
        method: body === undefined ? "GET" : "POST",
        headers: { authorization: `Bearer ${as}`, ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      const isJson = answer.headers.get("content-type")?.includes("json") ?? false;
      return { status: answer.status, headers: answer.headers, text, json: isJson ? JSON.parse(text) : undefined };
    },
    async stop() {
      await runs.stop();
      await server.stop();
      await endSessions(runs.context);
      await database.close();
      home.remove();
    },
  };
}
