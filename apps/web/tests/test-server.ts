/**
 * The real server over a database of its own, serving the built app, with the real command records.
 *
 * - `startTestServer()` → a server whose person is Ada Lovelace, owner of the team Demo.
 * - `disconnect` and `reconnect` stop it and start it again on the same port, as `devflow down` and `up` would.
 */
import { randomBytes, randomUUID } from "node:crypto";
import { allCommands } from "@devflow/cli/commands";
import { usageLine } from "@devflow/cli/help";
import { Secret } from "@devflow/core/secret";
import { CodeIssued, ServerStatus } from "@devflow/protocol";
import { folderAssets, localUserId, startServer } from "@devflow/server";
import { quietLog, testDatabase } from "@devflow/testkit";
import { z } from "zod";
import manifest from "../package.json" with { type: "json" };
import { builtWeb } from "./built-web.ts";

export type TestServer = Awaited<ReturnType<typeof startTestServer>>;

export async function startTestServer() {
  const clone = await testDatabase();
  const machineToken = randomBytes(32).toString("base64url");
  let signingKey = randomBytes(48).toString("base64url");
  const commands = (await allCommands()).filter((command) => !command.hidden);
  const start = (port: number) =>
    startServer({
      config: { host: "127.0.0.1", port, allowHosts: [] },
      database: clone.database,
      version: manifest.version,
      log: quietLog,
      machineToken: new Secret(machineToken),
      signingKey: new Secret(signingKey),
      webAssets: folderAssets(builtWeb()),
      commands: commands.map((command) => ({
        name: command.name,
        summary: command.summary,
        category: command.category,
        effect: command.effect,
        usage: usageLine(command),
      })),
      userName: "Ada Lovelace",
      limits: { stopWaitMs: 500 },
    });
  let server = await start(0);
  const { url, port } = server;

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

  return {
    url,
    teamId,
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
      await server.stop();
      await clone.close();
    },
  };
}
