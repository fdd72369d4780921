/**
 * The real server over a database of its own, serving the built app, with the real command records.
 *
 * - `startTestServer()` → a server whose person is Ada Lovelace, owner of the team Demo. It can run: with fake agents, each a process
 *   of its own, on a repository of its own. It shows the eval results and the browsers of its home, which are none at first.
 * - `disconnect` and `reconnect` stop it and start it again on the same port, as `devflow down` and `up` would.
 */
import { randomBytes, randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { machineBrowse } from "@devflow/browse/http";
import { commandSummaries } from "@devflow/cli/command-summaries";
import { writeFileAtomic } from "@devflow/core/atomic-file";
import { homeAt } from "@devflow/core/home";
import { proofOfSelf } from "@devflow/core/process-proof";
import { Secret } from "@devflow/core/secret";
import { machineEvals } from "@devflow/evals/http";
import { openStore } from "@devflow/evals/store";
import { initRepository } from "@devflow/git";
import { CodeIssued, RunDetail, RunStarted, type RunStartRequest, ServerStatus } from "@devflow/protocol";
import { openRuns } from "@devflow/runs";
import { endSessions } from "@devflow/runs/testing";
import { folderAssets, mountBrowse, mountEvals, mountRuns, startServer } from "@devflow/server";
import { localUserId } from "@devflow/server/testing";
import { quietLog, temporaryHome, testDatabase } from "@devflow/testkit";
import { z } from "zod";
import manifest from "../package.json" with { type: "json" };
import { builtWeb } from "./built-web.ts";

export type TestServer = Awaited<ReturnType<typeof startTestServer>>;

const fakeAgent = fileURLToPath(import.meta.resolve("@devflow/session/fake/agent"));

export async function startTestServer({ maxConcurrentRuns = 40 } = {}) {
  const clone = await testDatabase({ poolSize: 8 });
  // Made in a hook and used by many tests, so it lives until `stop`, and not until the hook is over.
  const home = temporaryHome({ isKept: true });
  mkdirSync(home.devflowHome, { mode: 0o700 });
  const environment = home.environment();
  const repository = join(home.path, "shop");
  await initRepository(repository, {
    files: { "README.md": "# Shop\n", "greetings.json": '{ "en": "Hello" }\n' },
    message: "Start",
    env: environment,
  });
  const runs = await openRuns({
    database: clone.database,
    log: quietLog,
    home: home.devflowHome,
    host: "test-machine",
    workspaceRoot: join(home.devflowHome, "workspaces"),
    env: environment,
    maxConcurrentRuns: () => maxConcurrentRuns,
    fakeAgentCommand: [process.execPath, fakeAgent],
    holderCommand: [],
    hookCommand: [],
    agents: ["claude", "codex"].map((backend) => ({ backend, available: false, reason: "not in this test" })),
    fakeDelayMs: 20,
  });
  const evalStore = await openStore(home.devflowHome);
  const machineToken = randomBytes(32).toString("base64url");
  let signingKey = randomBytes(48).toString("base64url");
  const start = (port: number) =>
    startServer({
      config: { host: "127.0.0.1", port, allowHosts: [] },
      database: clone.database,
      version: manifest.version,
      log: quietLog,
      machineToken: new Secret(machineToken),
      signingKey: new Secret(signingKey),
      webAssets: folderAssets(builtWeb()),
      commands: commandSummaries,
      userName: "Ada Lovelace",
      systems: {
        // The same runs go on behind a server that is stopped and started again.
        runs: async (parts) => mountRuns({ ...runs, stop: async () => undefined }, parts),
        evals: async () => mountEvals(machineEvals(home.devflowHome, evalStore, { pollMs: 50 })),
        browse: async () => mountBrowse(machineBrowse(home.devflowHome)),
      },
      limits: { stopWaitMs: 500 },
    });
  let server = await start(0);
  await runs.start();
  const { url, port } = server;
  // Names it as `devflow up` would, so that commands typed with this home reach it.
  const address = { ...proofOfSelf(), host: server.host, port, token: machineToken, version: manifest.version };
  await writeFileAtomic(
    homeAt(home.devflowHome).serverFile,
    JSON.stringify({ ...address, startedAt: new Date().toISOString() }),
  );

  async function ask<T>(path: string, schema: z.ZodType<T>, init: RequestInit = {}): Promise<T> {
    const headers = { authorization: `Bearer ${machineToken}`, "content-type": "application/json" };
    const answer = await fetch(url + path, { ...init, headers });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${text}`);
    return schema.parse(JSON.parse(text));
  }
  const [team] = (await ask("/api/status", ServerStatus)).teams;
  const teamId = team!.id;
  const me = { sub: localUserId, role: "authenticated" } as const;

  const detail = (runId: string) => ask(`/api/runs/${runId}`, RunDetail);

  return {
    url,
    /** For `runCli`, and for repositories of a test's own. */
    home,
    environment,
    /** Never in a page: what `server.json` holds. */
    machineToken,
    teamId,
    repository,
    evals: evalStore,
    database: clone.database,
    /** A run played by fake agents. */
    startRun: (request: Partial<RunStartRequest> = {}) =>
      ask("/api/runs", RunStarted, {
        method: "POST",
        body: JSON.stringify({
          template: "development-fake@1",
          repository,
          requirements: "Greet in several languages",
          clientToken: randomUUID(),
          ...request,
        }),
      }),
    detail,
    /** Waits until the run is so, and says how it stands when it never is. */
    async untilRun(runId: string, holds: (run: RunDetail) => boolean): Promise<RunDetail> {
      const deadline = Date.now() + 90_000;
      for (;;) {
        const run = await detail(runId);
        if (holds(run)) return run;
        if (Date.now() > deadline) throw new Error(`run stays ${run.state} in ${run.phase?.key}: ${run.failureReason}`);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
    async runCount(): Promise<number> {
      const rows = await clone.database.asEngine((tx) => tx<{ count: number }[]>`select count(*)::int from app.runs`);
      return rows[0]?.count ?? 0;
    },
    decide: (approvalId: string, verdict: string, comment?: string) =>
      ask(`/api/approvals/${approvalId}/decisions`, z.unknown(), {
        method: "POST",
        body: JSON.stringify({ verdict, comment, clientToken: randomUUID() }),
      }),
    /** What `devflow open` prints, for any page. */
    async signInUrl(path = "/"): Promise<string> {
      const { code } = await ask("/auth/code", CodeIssued, { method: "POST" });
      return `${url}${path}#code=${code}`;
    },
    rpc: (fn: string, args: Record<string, unknown>): Promise<unknown> =>
      ask(`/rest/v1/rpc/${fn}`, z.unknown(), { method: "POST", body: JSON.stringify(args) }),
    /** Written to the database while no server runs. */
    pingBehindTheServer: () => clone.database.withClaims(me, (tx) => tx`select api.ping(${teamId}::uuid)`),
    /** A change of a kind that no function writes. */
    recordChange: (kind: string) =>
      clone.database.asEngine(
        (tx) => tx`select app.append_changes(${teamId}::uuid, ${kind}, array[${randomUUID()}::uuid])`,
      ),
    async head(): Promise<number> {
      const rows = await clone.database.withClaims(
        me,
        (tx) => tx<{ seq: number | string }[]>`select max(seq) as seq from api.changes(${teamId}::uuid, 0, 1000)`,
      );
      return Number(rows[0]?.seq ?? 0);
    },
    disconnect: () => server.stop(),
    async reconnect({ forgetTokens = false } = {}): Promise<void> {
      if (forgetTokens) signingKey = randomBytes(48).toString("base64url");
      server = await start(port);
    },
    async stop(): Promise<void> {
      await runs.stop();
      await server.stop();
      evalStore.close();
      await endSessions(runs.context);
      await clone.close();
      home.remove();
    },
  };
}
