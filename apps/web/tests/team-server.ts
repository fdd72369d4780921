/**
 * A real team server that serves the built app, behind a proxy with TLS as a team runs it, or plain on this machine.
 *
 * - `startTeamWeb({ tls })`; `setupUrl` makes the first owner; `grant(path, body)` signs a terminal in; `rpc` calls as it.
 */
import { randomBytes } from "node:crypto";
import { commandSummaries } from "@devflow/cli/command-summaries";
import { Secret } from "@devflow/core/secret";
import { connectAsAdmin } from "@devflow/db";
import { DeviceAnswer, Grant } from "@devflow/protocol";
import { folderAssets } from "@devflow/server";
import { startTeamServer } from "@devflow/server/team";
import { quietLog, runProcess, temporaryFolder, testDatabase } from "@devflow/testkit";
import manifest from "../package.json" with { type: "json" };
import { builtWeb } from "./built-web.ts";

export type TeamWeb = Awaited<ReturnType<typeof startTeamWeb>>;

export async function startTeamWeb({ tls = false } = {}) {
  const clone = await testDatabase({ poolSize: 8 });
  const admin = connectAsAdmin(clone.target, clone.name);
  let inner = "";
  const proxy = tls ? await tlsProxy(() => inner) : undefined;
  const server = await startTeamServer({
    config: { host: "127.0.0.1", port: 0, allowHosts: [] },
    publicUrl: proxy?.url ?? "http://127.0.0.1:0",
    database: clone.database,
    version: manifest.version,
    log: quietLog,
    signingKey: new Secret(randomBytes(48).toString("base64url")),
    webAssets: folderAssets(builtWeb()),
    commands: commandSummaries,
    limits: { stopWaitMs: 500 },
  });
  inner = server.url;
  const post = async (path: string, body: unknown, token?: string): Promise<unknown> => {
    const answer = await fetch(`${server.url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...(token ? { authorization: `Bearer ${token}` } : {}) },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${text}`);
    return text === "" ? null : JSON.parse(text);
  };
  return {
    url: server.publicUrl,
    setupUrl: server.setupUrl ?? "",
    /** Behind row-level security. */
    admin,
    /** As a person, through row-level security. */
    withClaims: clone.database.withClaims,
    grant: async (path: string, body: object) => Grant.parse(await post(path, { terminal: "test", ...body })),
    rpc: (token: string, fn: string, args: object) => post(`/rest/v1/rpc/${fn}`, args, token),
    async startDevice(): Promise<DeviceAnswer> {
      const body = new URLSearchParams({ terminal: "grace@laptop" });
      return DeviceAnswer.parse(
        await (await fetch(`${server.url}/auth/oauth/device`, { method: "POST", body })).json(),
      );
    },
    async poll(code: string): Promise<unknown> {
      const body = new URLSearchParams({
        grant_type: "urn:ietf:params:oauth:grant-type:device_code",
        device_code: code,
      });
      return await (await fetch(`${server.url}/auth/oauth/token`, { method: "POST", body })).json();
    },
    async stop(): Promise<void> {
      await server.stop();
      await proxy?.stop();
      await admin.end({ timeout: 1 });
      await clone.close();
    },
  };
}

/** What Caddy or nginx do in front of a team server: TLS, and nothing else. */
async function tlsProxy(inner: () => string) {
  const folder = temporaryFolder("df");
  const made = await runProcess(
    [
      ..."openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=localhost".split(
        " ",
      ),
      ...["-keyout", `${folder}/key.pem`, "-out", `${folder}/cert.pem`],
    ],
    { env: { PATH: process.env.PATH ?? "" } },
  );
  if (made.code !== 0) throw new Error(made.stderr);
  const proxy = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    tls: { cert: Bun.file(`${folder}/cert.pem`), key: Bun.file(`${folder}/key.pem`) },
    fetch: (request) => {
      const { pathname, search } = new URL(request.url);
      return fetch(`${inner()}${pathname}${search}`, {
        method: request.method,
        headers: request.headers,
        body: request.body,
        redirect: "manual",
        signal: request.signal,
        decompress: false,
      });
    },
  });
  return { url: `https://localhost:${proxy.port}`, stop: () => proxy.stop(true) };
}
