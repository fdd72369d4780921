import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync, zstdCompressSync } from "node:zlib";
import { DevflowError } from "@devflow/core/errors";
import { connectAsAdmin } from "@devflow/db";
import { CommandList, DataPlaneFailure, Failure, Health, ServerStatus } from "@devflow/protocol";
import { localUserId } from "../src/auth/local-user.ts";
import { folderAssets } from "../src/index.ts";
import { noWebAssets } from "../src/web-assets/web-assets.ts";
import { startTestServer, type TestServer } from "./test-server.ts";

const script = "console.log('devflow');\n".repeat(200);
const command = { name: "up", summary: "Start", category: "Start", effect: "write", usage: "devflow up" } as const;
let it: TestServer;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "devflow-web-"));
  mkdirSync(join(folder, "assets"));
  writeFileSync(join(folder, "index.html"), "<!doctype html><title>Devflow</title>");
  writeFileSync(join(folder, "favicon.svg"), "<svg xmlns='http://www.w3.org/2000/svg'/>");
  writeFileSync(join(folder, "assets", "index-abcd1234.js"), script);
  writeFileSync(join(folder, "assets", "packed-abcd1234.js.zst"), zstdCompressSync(script));
  it = await startTestServer({ webAssets: folderAssets(folder), commands: async () => [command] });
}, 60_000);
afterAll(async () => {
  await it.stop();
  rmSync(folder, { recursive: true });
}, 60_000);

const get = (path: string, headers: Record<string, string> = {}, init: RequestInit = {}) =>
  fetch(`${it.url}${path}`, { ...init, headers: { authorization: `Bearer ${it.token}`, ...headers } });
const page = { accept: "text/html,application/xhtml+xml", "sec-fetch-mode": "navigate" };

test("health says only that it is well, and status says the rest to who may know", async () => {
  expect(Health.strict().parse(await (await fetch(`${it.url}/health`)).json())).toEqual({ ok: true });
  const status = ServerStatus.strict().parse(await (await get("/api/status")).json());
  expect(status).toMatchObject({
    version: "9.9.9",
    mode: "local",
    runtime: { name: "Bun", version: Bun.version },
    postgres: { synchronousCommit: "on" },
    live: { subscribers: 0 },
    user: { id: localUserId, name: "Ada" },
    teams: [{ id: it.teamId, slug: "demo", name: "Demo", role: "owner" }],
  });
  expect(status.migrations.applied).toBeGreaterThan(0);
  expect(CommandList.parse(await (await get("/api/commands")).json())).toEqual({ commands: [command] });
});

test("a port in use is named together with the command that takes another one", async () => {
  const { port } = it.server;
  const error = await it
    .startAnother({ config: { host: "127.0.0.1", port, allowHosts: [] } })
    .catch((caught) => caught);
  expect(error).toBeInstanceOf(DevflowError);
  expect(error).toMatchObject({
    code: "port_in_use",
    message: `Port ${port} on 127.0.0.1 is already in use.`,
    hint: `Use another one: devflow up --port ${port + 1}`,
  });
});

test("a stopped server gives its port free", async () => {
  const first = await it.startAnother();
  await fetch(`${first.url}/health`);
  await first.stop();
  const second = await it.startAnother({ config: { host: "127.0.0.1", port: first.port, allowHosts: [] } });
  expect((await fetch(`${second.url}/health`)).status).toBe(200);
});

test("whatever goes wrong is answered with a JSON object, and the wrong method is told the right one", async () => {
  const devflow: [string, string, number, string][] = [
    ["GET", "/api/nothing", 404, "not_found"],
    ["POST", "/api/status", 405, "method_not_allowed"],
    ["DELETE", "/health", 405, "method_not_allowed"],
    ["GET", "/auth/exchange", 405, "method_not_allowed"],
    ["POST", "/", 405, "method_not_allowed"],
    ["GET", "/assets/nothing.js", 404, "not_found"],
    ["POST", "/sse/global", 405, "method_not_allowed"],
  ];
  for (const [method, path, status, code] of devflow) {
    const response = await get(path, {}, { method });
    const { error } = Failure.parse(await response.json());
    expect([method, path, response.status, error.code]).toEqual([method, path, status, code]);
  }
  for (const [method, path, status] of [
    ["GET", "/rest/v1/", 404],
    ["POST", "/rest/v1/teams", 404],
    ["PUT", "/rest/v1/rpc/whoami", 405],
  ] as const) {
    const response = await get(path, {}, { method });
    const { message, error } = DataPlaneFailure.parse(await response.json());
    expect([method, path, response.status, error?.status]).toEqual([method, path, status, status]);
    expect(error?.message).toBe(message);
  }
});

test("while the database is away every route says so with 503 and JSON, and goes on when it is back", async () => {
  const { name } = it.database;
  const outside = connectAsAdmin(it.database.target, "postgres");
  try {
    await outside.unsafe(`alter database ${name} allow_connections false`);
    await outside`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`;
    const rest = await get("/rest/v1/rpc/whoami", {}, { method: "POST" });
    const { hint, code } = DataPlaneFailure.parse(await rest.json());
    expect([rest.status, code === "PGRST000" ? hint : "See what is wrong: devflow doctor"]).toEqual([
      503,
      "See what is wrong: devflow doctor",
    ]);
    for (const path of ["/api/status", "/sse/global"]) {
      const response = await get(path);
      expect([path, response.status, Failure.parse(await response.json()).error.code]).toEqual([
        path,
        503,
        "db_unreachable",
      ]);
    }
    expect((await get("/health")).status).toBe(200);
    await outside.unsafe(`alter database ${name} allow_connections true`);
    expect((await get("/api/status")).status).toBe(200);
  } finally {
    await outside.unsafe(`alter database ${name} allow_connections true`);
    await outside.end({ timeout: 1 });
  }
}, 20_000);

describe("the web app", () => {
  test("opens at every page's address, while a missing file stays missing", async () => {
    for (const path of ["/", "/runs", "/runs/0190-x", "/settings?tab=keys"]) {
      const response = await get(path, page);
      expect([path, response.status, response.headers.get("content-type")]).toEqual([
        path,
        200,
        "text/html; charset=utf-8",
      ]);
      expect(response.headers.get("cache-control")).toBe("no-cache");
      expect(await response.text()).toContain("<title>Devflow</title>");
    }
    for (const path of ["/assets/gone-abcd1234.js", "/gone.png", "/api/gone"])
      expect((await get(path, page)).status).toBe(404);
    expect((await get("/runs", { accept: "application/json" })).status).toBe(404);
  });

  test("unpacks a file that is packed, as inside the executable", async () => {
    const { headers, status, body } = await fetch(`${it.url}/assets/packed-abcd1234.js`, {
      headers: { "accept-encoding": "identity" },
    });
    expect([status, headers.get("content-type")]).toEqual([200, "text/javascript; charset=utf-8"]);
    expect(await new Response(body).text()).toBe(script);
    expect((await fetch(`${it.url}/assets/packed-abcd1234.js.zst`)).status).toBe(404);
  });

  test("sends a hashed file once, compressed as the browser can read it", async () => {
    const path = "/assets/index-abcd1234.js";
    const raw = (encoding: string) =>
      fetch(`${it.url}${path}`, { headers: { "accept-encoding": encoding }, decompress: false });
    const plain = await raw("identity");
    expect(plain.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(plain.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
    expect(await plain.text()).toBe(script);
    const gzip = await raw("gzip, deflate");
    expect(gzip.headers.get("content-encoding")).toBe("gzip");
    expect(gunzipSync(await gzip.arrayBuffer()).toString()).toBe(script);
    const brotli = await raw("gzip, br;q=0.9");
    expect(brotli.headers.get("content-encoding")).toBe("br");
    expect(brotliDecompressSync(await brotli.arrayBuffer()).toString()).toBe(script);
    expect((await raw("br;q=0")).headers.get("content-encoding")).toBeNull();
    const etag = plain.headers.get("etag") ?? "";
    const known = await fetch(`${it.url}${path}`, { headers: { "if-none-match": `"other", ${etag}` } });
    expect([known.status, await known.text()]).toEqual([304, ""]);
    const head = await fetch(`${it.url}${path}`, { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
  });

  test("that was not built says so, and how to build it", async () => {
    for (const webAssets of [noWebAssets, folderAssets(join(folder, "nowhere"))]) {
      const bare = await it.startAnother({ webAssets });
      const response = await fetch(bare.url, { headers: page });
      expect(response.status).toBe(404);
      expect(Failure.parse(await response.json()).error.hint).toBe("Build it: npm run build");
    }
  });
});
