/**
 * A server on a free port over a database of its own, for tests over HTTP.
 *
 * - `startTestServer(options)` the server, a second person with a team of their own, and tokens for both.
 */
import { randomBytes } from "node:crypto";
import { systemClock } from "@devflow/core/clock";
import { uuidv7 } from "@devflow/core/ids";
import { createLog } from "@devflow/core/log";
import { Secret } from "@devflow/core/secret";
import { connectAsAdmin, type Sql } from "@devflow/db";
import { quietLog, type TestDatabase, testDatabase } from "@devflow/testkit";
import { localUserId } from "../src/auth/local-user.ts";
import { audience, issuer, signedTokens } from "../src/auth/tokens.ts";
import { type RunningServer, type ServerOptions, startServer } from "../src/index.ts";

export interface TestServer {
  readonly server: RunningServer;
  readonly url: string;
  readonly database: TestDatabase;
  /** Behind row-level security. */
  readonly admin: Sql;
  readonly machineToken: string;
  readonly signingKey: string;
  /** The local user's team. */
  readonly teamId: string;
  readonly stranger: { readonly id: string; readonly teamId: string; readonly token: string };
  /** A JWT for the local user. */
  readonly token: string;
  /** What the server logged. */
  readonly logged: () => string;
  /** A second server over the same database. */
  startAnother(options?: Partial<ServerOptions>): Promise<RunningServer>;
  stop(): Promise<void>;
}

export async function startTestServer(options: Partial<ServerOptions> = {}): Promise<TestServer> {
  const database = await testDatabase({ poolSize: 6 });
  const admin = connectAsAdmin(database.target, database.name);
  const machineToken = randomBytes(32).toString("base64url");
  const signingKey = randomBytes(48).toString("base64url");
  const lines: string[] = [];
  const log = createLog({
    level: "trace",
    module: "server",
    destination: { write: (line: string) => void lines.push(line) },
  });
  const all: ServerOptions = {
    config: { host: "127.0.0.1", port: 0, allowHosts: [] },
    database: database.database,
    version: "9.9.9",
    log,
    machineToken: new Secret(machineToken),
    signingKey: new Secret(signingKey),
    userName: "Ada",
    ...options,
  };
  const server = await startServer(all);
  const tokens = signedTokens(new TextEncoder().encode(signingKey), systemClock);
  const strangerId = uuidv7();
  await database.database.asEngine((tx) => tx`select app.ensure_user(${strangerId}::uuid, 'Mallory', null)`);
  const [theirs] = await database.database.withClaims(
    { sub: strangerId, role: "authenticated" },
    (tx) => tx<{ id: string }[]>`select id from api.create_team('Strangers', 'strangers')`,
  );
  const [mine] = await admin<
    { id: string }[]
  >`select team_id as id from app.team_members where user_id = ${localUserId}`;
  const started = [server];
  return {
    server,
    url: server.url,
    database,
    admin,
    machineToken,
    signingKey,
    teamId: mine?.id ?? "",
    stranger: { id: strangerId, teamId: theirs?.id ?? "", token: (await tokens.issue("data", strangerId)).token },
    token: (await tokens.issue("data", localUserId)).token,
    logged: () => lines.join(""),
    async startAnother(more = {}) {
      const another = await startServer({ ...all, log: quietLog, ...more });
      started.push(another);
      return another;
    },
    async stop() {
      for (const one of started) await one.stop();
      await admin.end({ timeout: 1 });
      await database.close();
    },
  };
}

export { audience, issuer };
