/**
 * A server over a database of its own, with one team of several people: what machines push to and pull from.
 *
 * - `startTeamServer()` the server, its people by name, and the rows behind row-level security. `startAnother(env)` a second server over
 *   the same database, in a process of its own that a test may kill.
 */
import { randomBytes } from "node:crypto";
import { uuidv7 } from "@devflow/core/ids";
import { Secret } from "@devflow/core/secret";
import { version } from "@devflow/core/version";
import { connectAsAdmin, type Sql } from "@devflow/db";
import { type RunningServer, startServer } from "@devflow/server";
import { quietLog, type TestDatabase, testDatabase } from "./database.ts";
import { type RunningProcess, startProcess } from "./run-process.ts";
import { type ServerProcessOptions, serverProgram } from "./server-program.ts";
import { signToken } from "./sign-token.ts";

export interface TeamPerson {
  readonly id: string;
  readonly token: Secret;
}

export interface TeamServer {
  readonly url: string;
  readonly server: RunningServer;
  readonly database: TestDatabase;
  readonly admin: Sql;
  /** The machine's own token: the owner's. */
  readonly machineToken: string;
  readonly teamId: string;
  readonly owner: TeamPerson;
  /** A member who is no admin. */
  readonly member: TeamPerson;
  /** In another team. */
  readonly stranger: TeamPerson & { readonly teamId: string };
  startAnother(env: Readonly<Record<string, string>>, port?: number): Promise<ServerProcess>;
  stop(): Promise<void>;
}

export interface ServerProcess {
  readonly url: string;
  readonly process: RunningProcess;
}

export async function startTeamServer(): Promise<TeamServer> {
  const database = await testDatabase({ poolSize: 8 });
  const admin = connectAsAdmin(database.target, database.name);
  const machineToken = randomBytes(32).toString("base64url");
  const signingKey = randomBytes(48).toString("base64url");
  const server = await startServer({
    config: { host: "127.0.0.1", port: 0, allowHosts: [] },
    database: database.database,
    version,
    log: quietLog,
    machineToken: new Secret(machineToken),
    signingKey: new Secret(signingKey),
    userName: "Ada",
  });
  const [owner] = await admin<{ user_id: string; team_id: string }[]>`select user_id, team_id from app.team_members`;
  if (!owner) throw new Error("the server made no team");
  const person = async (name: string): Promise<TeamPerson> => {
    const id = uuidv7();
    await database.database.asEngine((tx) => tx`select app.ensure_user(${id}::uuid, ${name}, null)`);
    return { id, token: new Secret(signToken(id, signingKey)) };
  };
  const member = await person("Grace");
  await admin`insert into app.team_members (team_id, user_id, role) values (${owner.team_id}, ${member.id}, 'member')`;
  const stranger = await person("Mallory");
  const [theirs] = await database.database.withClaims(
    { sub: stranger.id, role: "authenticated" },
    (tx) => tx<{ id: string }[]>`select id from api.create_team('Strangers', 'strangers')`,
  );
  return {
    url: server.url,
    server,
    database,
    admin,
    machineToken,
    teamId: owner.team_id,
    owner: { id: owner.user_id, token: new Secret(machineToken) },
    member,
    stranger: { ...stranger, teamId: theirs?.id ?? "" },
    async startAnother(env, port = 0) {
      const { target, name } = database;
      const options: ServerProcessOptions = {
        target: { ...target, password: target.password?.reveal() ?? "" },
        ...{ database: name, machineToken, signingKey, port },
      };
      const stdin = JSON.stringify(options);
      const process = startProcess([globalThis.process.execPath, serverProgram], { env: { ...env }, stdin });
      const [, chosen] = await process.waitForOutput(/^(\d+)$/m);
      return { url: `http://127.0.0.1:${chosen}`, process };
    },
    async stop() {
      await server.stop();
      await admin.end({ timeout: 1 });
      await database.close();
    },
  };
}
