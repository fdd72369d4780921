/**
 * A team server on a free port over a database of its own, and the people of a team who have signed in to it.
 *
 * - `startTestTeam(options)` Ada owns the team; `join(name, role)` lets somebody in by an invite.
 */
import { randomBytes } from "node:crypto";
import { createLog } from "@devflow/core/log";
import { Secret } from "@devflow/core/secret";
import { connectAsAdmin } from "@devflow/db";
import { DeviceAnswer, Grant, type RpcArguments, type RpcName, rpcAnswer, type TeamRole } from "@devflow/protocol";
import { testDatabase } from "@devflow/testkit";
import { type RunningTeamServer, startTeamServer, type TeamServerOptions } from "../src/start-team-server.ts";

export type TestTeam = Awaited<ReturnType<typeof startTestTeam>>;

export async function startTestTeam(options: Partial<TeamServerOptions> = {}) {
  const database = await testDatabase({ poolSize: 6 });
  const admin = connectAsAdmin(database.target, database.name);
  const signingKey = randomBytes(48).toString("base64url");
  const lines: string[] = [];
  let now = Date.now();
  const start = (): Promise<RunningTeamServer> =>
    startTeamServer({
      config: { host: "127.0.0.1", port: 0, allowHosts: [] },
      publicUrl: "http://127.0.0.1:0",
      database: database.database,
      version: "9.9.9",
      log: createLog({
        level: "trace",
        module: "server",
        destination: { write: (line: string) => void lines.push(line) },
      }),
      signingKey: new Secret(signingKey),
      clock: { now: () => now, sleep: (ms) => Bun.sleep(ms) },
      ...options,
    });
  const server = await start();
  const { url } = server;

  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    fetch(`${url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
  const form = (path: string, fields: Record<string, string>) =>
    fetch(`${url}${path}`, { method: "POST", body: new URLSearchParams(fields) });
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

  async function rpc<Name extends RpcName>(token: string, name: Name, args: RpcArguments<Name>) {
    const response = await post(`/rest/v1/rpc/${name}`, args, bearer(token));
    const text = await response.text();
    if (!response.ok) throw Object.assign(new Error(text), { status: response.status, body: JSON.parse(text) });
    return rpcAnswer(name).parse(text === "" ? null : JSON.parse(text));
  }
  const grantOf = async (response: Response): Promise<Grant> => {
    const text = await response.text();
    if (!response.ok) throw new Error(`${response.status} ${text}`);
    return Grant.parse(JSON.parse(text));
  };

  const setupToken = server.setupUrl?.split("#token=")[1] ?? "";
  const ada = await grantOf(
    await post("/auth/session/setup", { token: setupToken, name: "Ada", team: "Engines", terminal: "ada@desk" }),
  );
  const [team] = await rpc(ada.access_token, "my_teams", {});
  const teamId = team?.id ?? "";

  async function join(name: string, role: TeamRole = "member"): Promise<Grant> {
    const { token } = await rpc(ada.access_token, "create_invite", { team_id: teamId, role });
    return grantOf(await post("/auth/session/invite", { token, name, terminal: `${name}@desk` }));
  }

  return {
    server,
    url,
    database,
    /** Behind row-level security. */
    admin,
    signingKey,
    setupToken,
    teamId,
    ada,
    join,
    post,
    form,
    bearer,
    rpc,
    grantOf,
    logged: () => lines.join(""),
    now: () => now,
    /** Lets time pass for the server. */
    pass(ms: number): void {
      now += ms;
    },
    refresh: (token: string) => form("/auth/oauth/token", { grant_type: "refresh_token", refresh_token: token }),
    async startDevice(): Promise<DeviceAnswer> {
      return DeviceAnswer.parse(await (await form("/auth/oauth/device", { terminal: "grace@laptop" })).json());
    },
    poll: (deviceCode: string) =>
      form("/auth/oauth/token", {
        grant_type: "urn:ietf:params:oauth:grant-type:device_code",
        device_code: deviceCode,
        client_id: "devflow",
      }),
    startAnother: start,
    async stop(): Promise<void> {
      await server.stop();
      await admin.end({ timeout: 1 });
      await database.close();
    },
  };
}
