/** What a team server is, and what it is not: nothing here runs anything or reads a file of its machine. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { Secret } from "@devflow/core/secret";
import { Failure, ServerStatus } from "@devflow/protocol";
import { quietLog } from "@devflow/testkit";
import { mountTable } from "../src/mounts/table.ts";
import { startTeamServer } from "../src/start-team-server.ts";
import { openStream } from "./stream-client.ts";
import { startTestTeam, type TestTeam } from "./team-server.ts";

const metricsToken = randomBytes(16).toString("hex");
let it: TestTeam;
beforeAll(async () => {
  it = await startTestTeam({ metricsToken: new Secret(metricsToken) });
}, 60_000);
afterAll(() => it.stop(), 60_000);

describe("the routes of a team server", () => {
  const local = Object.entries(mountTable).filter(([, { on }]) => on === "local");

  test("that start runs, drive browsers or read files of the machine are on the local server only", () => {
    expect(local.map(([name]) => name)).toEqual(["exchange", "tokens", "runs", "evals", "browse"]);
  });

  test.each(local)("of %s are refused for its owner, whatever the method", async (_name, { paths }) => {
    for (const prefix of Object.keys(paths)) {
      for (const path of [prefix, `${prefix}/x`, `${prefix}/x/y`]) {
        for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"]) {
          const answer = await fetch(`${it.url}${path}`, {
            method,
            headers: { ...it.bearer(it.ada.access_token), "content-type": "application/json" },
            ...(method === "GET" ? {} : { body: JSON.stringify({ repository: "/etc", template: "x", code: "x" }) }),
          });
          const { code } = Failure.parse(await answer.json()).error;
          expect({ method, path, status: answer.status, code }).toEqual({
            method,
            path,
            status: 404,
            code: "not_on_team_server",
          });
        }
      }
    }
  });

  test("are all in the table: any other path is the web app or not found", async () => {
    for (const path of ["/api", "/api/x", "/auth/x", "/auth/code/x", "/sse/x", "/rest/v1/users", "/api/files"]) {
      const answer = await fetch(`${it.url}${path}`, { headers: it.bearer(it.ada.access_token) });
      expect({ path, isRefused: answer.status >= 400 }).toEqual({ path, isRefused: true });
    }
    for (const path of ["/../../etc/passwd", "/assets/../../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd"]) {
      const text = await (await fetch(`${it.url}${path}`)).text();
      expect({ path, leaks: text.includes("root:") }).toEqual({ path, leaks: false });
    }
  });

  test("load no code that runs or drives anything", async () => {
    const build = await Bun.build({
      entrypoints: [new URL("../src/start-team-server.ts", import.meta.url).pathname],
      target: "bun",
      metafile: true,
      splitting: true,
    });
    expect(build.success).toBe(true);
    const modules = Object.keys((build as unknown as { metafile: { inputs: object } }).metafile.inputs);
    expect(modules.length).toBeGreaterThan(50);
    expect(modules.filter((path) => /packages\/(runs|session|harness|browse|evals|git)\//.test(path))).toEqual([]);
    const starters: string[] = [];
    for (const path of modules.filter((one) => /apps\/server\/src/.test(one))) {
      const text = await Bun.file(path).text();
      if (/child_process|Bun\.spawn|node:fs|Bun\.file/.test(text)) starters.push(path.replace(/.*apps\/server\//, ""));
    }
    expect(starters).toEqual([]);
  });
});

describe("the server", () => {
  test("says that it is a team's, and who asks", async () => {
    const answer = await fetch(`${it.url}/api/status`, { headers: it.bearer(it.ada.access_token) });
    const status = ServerStatus.parse(await answer.json());
    expect([status.mode, status.user.name, status.teams.map(({ slug }) => slug)]).toEqual(["team", "Ada", ["engines"]]);
  });

  test("gives metrics to whoever has their token, in the OpenMetrics format", async () => {
    expect((await fetch(`${it.url}/metrics`)).status).toBe(401);
    expect((await fetch(`${it.url}/metrics`, { headers: it.bearer(it.ada.access_token) })).status).toBe(401);
    const answer = await fetch(`${it.url}/metrics`, { headers: it.bearer(metricsToken) });
    expect(answer.headers.get("content-type")).toBe("application/openmetrics-text; version=1.0.0; charset=utf-8");
    const text = await answer.text();
    expect(text).toEndWith("# EOF\n");
    for (const line of text.trimEnd().split("\n")) {
      expect(line).toMatch(/^(# (TYPE|HELP|UNIT) \w+ .+|# EOF|\w+(\{(\w+="[^"]*",?)+\})? [\d.e+-]+)$/);
    }
    expect(text).toMatch(/devflow_requests_total\{mount="signIn",status="200"\} \d+/);
    expect(text).toMatch(/devflow_request_seconds_bucket\{mount="dataPlane",le="\+Inf"\} \d+/);
  });

  test("does not start without TLS anywhere but on this machine", async () => {
    const start = (publicUrl: string) =>
      startTeamServer({
        config: { host: "127.0.0.1", port: 0, allowHosts: [] },
        publicUrl,
        database: it.database.database,
        version: "1",
        log: quietLog,
        signingKey: new Secret(it.signingKey),
      }).then(
        (server) => server.stop().then(() => "started"),
        (error: Error) => error.message,
      );
    expect(await start("http://devflow.example.com")).toContain("is not an https address");
    expect(await start("https://devflow.example.com")).toBe("started");
    expect(await start("http://localhost:0")).toBe("started");
  });

  test("accepts its own address and origin, and no other", async () => {
    const ask = (headers: Record<string, string>) =>
      fetch(`${it.url}/auth/ways`, { headers }).then((one) => one.status);
    expect(await ask({ host: "evil.example" })).toBe(403);
    expect(await ask({ origin: "https://evil.example" })).toBe(403);
    expect(await ask({ origin: it.url.replace("127.0.0.1", "localhost") })).toBe(403);
    expect(await ask({ origin: it.url })).toBe(200);
    expect(await ask({ "sec-fetch-site": "cross-site" })).toBe(403);
  });
});

describe("the live stream of a member", () => {
  test.each([
    ["is removed", (id: string) => it.rpc(it.ada.access_token, "remove_member", { team_id: it.teamId, user_id: id })],
    [
      "gets another role",
      (id: string) => it.rpc(it.ada.access_token, "set_role", { team_id: it.teamId, user_id: id, role: "admin" }),
    ],
  ] as const)("ends when the member %s, and nobody else's does", async (_what, change) => {
    const member = await it.join("Streamer");
    const team = `${it.url}/sse/team/${it.teamId}`;
    const theirs = await openStream(team, member.access_token);
    const global = await openStream(`${it.url}/sse/global`, member.access_token);
    const other = await openStream(team, it.ada.access_token);
    await Promise.all([theirs, global, other].map((one) => one.until(({ event }) => event === "ready")));
    await change(member.user.id);
    expect(await Promise.all([theirs.ended, global.ended])).toEqual(["closed", "closed"]);
    // The others are told, and stay connected.
    await other.until(({ data }) => data.kind === "member" && data.entityId === member.user.id);
    await it.rpc(it.ada.access_token, "ping", { team_id: it.teamId });
    await other.until(({ data }) => data.kind === "ping");
    other.close();
  });
});
