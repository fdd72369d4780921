/** The sentences of the security baseline, each tried by an attack on a running server. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { folderAssets } from "../src/index.ts";
import { rawRequest } from "./raw-request.ts";
import { startTestServer, type TestServer } from "./test-server.ts";

let it: TestServer;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "devflow-web-"));
  mkdirSync(join(folder, "web", "assets"), { recursive: true });
  writeFileSync(join(folder, "secret.txt"), "the secret");
  writeFileSync(join(folder, "web", "index.html"), "<!doctype html><title>Devflow</title>");
  writeFileSync(join(folder, "web", "assets", "index-abcd1234.js"), "console.log('devflow')".repeat(100));
  symlinkSync(join(folder, "secret.txt"), join(folder, "web", "link.txt"));
  it = await startTestServer({
    webAssets: folderAssets(join(folder, "web")),
    config: { host: "127.0.0.1", port: 0, allowHosts: ["forwarded.example:9000", "devbox"] },
  });
}, 60_000);
afterAll(async () => {
  await it.stop();
  rmSync(folder, { recursive: true });
}, 60_000);

const own = () => `127.0.0.1:${it.server.port}`;
const bearer = () => `Authorization: Bearer ${it.token}`;

function canConnect(address: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect({ port: it.server.port, host: address, timeout: 2000 });
  socket.once("connect", () => resolve(true));
  socket.once("error", () => resolve(false));
  socket.once("timeout", () => resolve(false));
  return promise.finally(() => socket.destroy());
}

/** Every path the server has, and some it has not. */
const guarded: [method: string, path: () => string][] = [
  ["GET", () => "/api/status"],
  ["GET", () => "/api/commands"],
  ["GET", () => "/api/anything"],
  ["POST", () => "/auth/code"],
  ["POST", () => "/auth/token"],
  ["POST", () => "/auth/anything"],
  ["POST", () => "/rest/v1/rpc/whoami"],
  ["GET", () => "/rest/v1/rpc/whoami"],
  ["GET", () => "/rest/v1/"],
  ["GET", () => "/sse/global"],
  ["GET", () => `/sse/team/${it.teamId}`],
];

test("it listens on 127.0.0.1 and on no other address of the machine", async () => {
  expect(await canConnect("127.0.0.1")).toBe(true);
  const others = Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .filter((one) => !one.internal);
  for (const address of ["127.0.0.2", ...others.map((one) => one.address)]) {
    expect([address, await canConnect(address)]).toEqual([address, false]);
  }
});

test("a Host that is not exactly ours is refused, as a page that rebinds its name would send", async () => {
  const port = it.server.port;
  const foreign = [
    `evil.example:${port}`,
    "127.0.0.1",
    `127.0.0.1:${port + 1}`,
    `localhost.:${port}`,
    `127.0.0.1.evil.example:${port}`,
    `127.0.0.1:${port}@evil`,
    "forwarded.example",
    `forwarded.example:${port}`,
    "",
  ];
  for (const host of foreign) {
    const answer = await rawRequest(port, ["GET /api/status HTTP/1.1", `Host: ${host}`, bearer()]);
    expect([host, answer.status]).toEqual([host, host === "" ? answer.status : 403]);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.body).not.toContain("Ada");
  }
  const none = await rawRequest(port, ["GET /api/status HTTP/1.1", bearer()]);
  expect(none.status).toBeGreaterThanOrEqual(400);
  for (const host of [
    own(),
    `LOCALHOST:${port}`,
    `[::1]:${port}`,
    "forwarded.example:9000",
    "devbox",
    `devbox:${port}`,
  ]) {
    const answer = await rawRequest(port, ["GET /api/status HTTP/1.1", `Host: ${host}`, bearer()]);
    expect([host, answer.status]).toEqual([host, 200]);
  }
});

test("a foreign Origin is refused on every route, also null, also one on another port of this machine", async () => {
  const port = it.server.port;
  const foreign = [
    "https://evil.example",
    "null",
    `http://127.0.0.1:${port + 1}`,
    "http://127.0.0.1",
    `http://localhost:${port}.evil.example`,
    `file://`,
    `chrome-extension://abc`,
  ];
  for (const origin of foreign) {
    for (const path of ["/health", "/", "/api/status", "/auth/exchange", "/rest/v1/rpc/whoami"]) {
      const answer = await rawRequest(port, [`GET ${path} HTTP/1.1`, `Host: ${own()}`, `Origin: ${origin}`, bearer()]);
      expect([origin, path, answer.status]).toEqual([origin, path, 403]);
      expect(answer.head.toLowerCase()).not.toContain("access-control-");
    }
  }
  const ours = await rawRequest(port, [
    "GET /api/status HTTP/1.1",
    `Host: ${own()}`,
    `Origin: http://${own()}`,
    bearer(),
  ]);
  expect(ours.status).toBe(200);
});

test("a preflight from elsewhere gets no permission", async () => {
  const answer = await rawRequest(it.server.port, [
    "OPTIONS /rest/v1/rpc/whoami HTTP/1.1",
    `Host: ${own()}`,
    "Origin: https://evil.example",
    "Access-Control-Request-Method: POST",
    "Access-Control-Request-Headers: authorization",
  ]);
  expect(answer.status).toBe(403);
  expect(answer.head.toLowerCase()).not.toContain("access-control-");
});

test("what a browser says comes from another site is refused; only a followed link may open the page", async () => {
  const send = (path: string, ...headers: string[]) =>
    rawRequest(it.server.port, [`GET ${path} HTTP/1.1`, `Host: ${own()}`, bearer(), ...headers]).then(
      (one) => one.status,
    );
  for (const site of ["cross-site", "same-site", "anything"]) {
    for (const path of ["/api/status", "/sse/global", "/health", "/", "/assets/index-abcd1234.js"]) {
      expect([site, path, await send(path, `Sec-Fetch-Site: ${site}`)]).toEqual([site, path, 403]);
    }
  }
  const link = ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"];
  expect(await send("/", ...link)).toBe(200);
  expect(await send("/api/status", ...link)).toBe(403);
  expect(await send("/", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: iframe")).toBe(403);
  expect(await send("/api/status", "Sec-Fetch-Site: same-origin")).toBe(200);
  expect(await send("/", "Sec-Fetch-Site: none", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document")).toBe(200);
});

test("every route but health, exchange and the web wants a bearer token", async () => {
  const almost = `${it.machineToken.slice(0, -1)}${it.machineToken.endsWith("A") ? "B" : "A"}`;
  const attempts: Record<string, Record<string, string>> = {
    nothing: {},
    empty: { authorization: "Bearer " },
    almost: { authorization: `Bearer ${almost}` },
    longer: { authorization: `Bearer ${it.machineToken}x` },
    shorter: { authorization: `Bearer ${it.machineToken.slice(0, 5)}` },
    basic: { authorization: `Basic ${btoa(`user:${it.machineToken}`)}` },
    bare: { authorization: it.machineToken },
    cookie: { cookie: `token=${it.machineToken}; sb-access-token=${it.token}` },
    apikey: { apikey: it.token },
  };
  for (const [method, path] of guarded) {
    for (const [name, headers] of Object.entries(attempts)) {
      const response = await fetch(`${it.url}${path()}`, { method, headers });
      expect([method, path(), name, response.status]).toEqual([method, path(), name, 401]);
      const body = await response.json();
      expect(Array.isArray(body)).toBe(false);
      expect(typeof body).toBe("object");
      expect(response.headers.get("www-authenticate")).toBe("Bearer");
    }
  }
  expect(await (await fetch(`${it.url}/health`)).text()).toBe('{"ok":true}');
  expect((await fetch(it.url)).status).toBe(200);
});

test("a token in the address is no token", async () => {
  for (const name of ["token", "apikey", "access_token", "authorization"]) {
    const response = await fetch(`${it.url}/api/status?${name}=${it.machineToken}`);
    expect(response.status).toBe(401);
  }
});

test("a body beyond the limit is refused in JSON, announced or not, and the server goes on", async () => {
  let sent = 0;
  const stream = () =>
    new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 256 * 1024;
        controller.enqueue(new Uint8Array(256 * 1024).fill(32));
      },
    });
  const headers = { authorization: `Bearer ${it.token}`, "content-type": "application/json" };
  const chunked = await fetch(`${it.url}/rest/v1/rpc/whoami`, { method: "POST", headers, body: stream() });
  expect([chunked.status, ((await chunked.json()) as { code: string }).code]).toEqual([413, "too_large"]);
  expect(sent).toBeLessThan(64 * 1024 * 1024);
  const announced = await rawRequest(it.server.port, [
    "POST /rest/v1/rpc/whoami HTTP/1.1",
    `Host: ${own()}`,
    bearer(),
    "Content-Type: application/json",
    "Content-Length: 999999999999",
  ]);
  expect([announced.status, JSON.parse(announced.body).code]).toEqual([413, "too_large"]);
  const code = await fetch(`${it.url}/auth/exchange`, { method: "POST", body: "x".repeat(10_000) });
  expect([code.status, ((await code.json()) as { error: { code: string } }).error.code]).toEqual([413, "too_large"]);
  expect((await fetch(`${it.url}/health`)).status).toBe(200);
});

test("huge headers, long addresses and broken requests are turned away, and the server goes on", async () => {
  const port = it.server.port;
  const huge = await rawRequest(port, ["GET /health HTTP/1.1", `Host: ${own()}`, `X-Filler: ${"a".repeat(100_000)}`]);
  expect([400, 413, 431]).toContain(huge.status);
  const long = await rawRequest(port, [`GET /${"a".repeat(100_000)} HTTP/1.1`, `Host: ${own()}`]);
  expect([400, 413, 414, 431]).toContain(long.status);
  const both = await rawRequest(
    port,
    ["POST /auth/exchange HTTP/1.1", `Host: ${own()}`, "Content-Length: 5", "Transfer-Encoding: chunked"],
    "0\r\n\r\nGET /api/status HTTP/1.1\r\n\r\n",
  );
  expect(both.status).toBeGreaterThanOrEqual(400);
  const odd = await rawRequest(port, ["GET /%ff%00 HTTP/1.1", `Host: ${own()}`, "Accept: text/html"]);
  expect(odd.status).toBe(404);
  expect((await fetch(`${it.url}/health`)).status).toBe(200);
});

test("every answer carries the security headers and never a cookie or a permission for other origins", async () => {
  const requests: [string, RequestInit?][] = [
    ["/"],
    ["/assets/index-abcd1234.js"],
    ["/nothing.js"],
    ["/health"],
    ["/api/status"],
    ["/api/status", { headers: { authorization: `Bearer ${it.token}` } }],
    ["/rest/v1/rpc/whoami", { method: "POST", headers: { authorization: `Bearer ${it.token}` } }],
    ["/rest/v1/rpc/nothing", { method: "POST", headers: { authorization: `Bearer ${it.token}` } }],
    ["/auth/exchange", { method: "POST", body: "{}" }],
  ];
  for (const [path, init] of requests) {
    const { headers } = await fetch(`${it.url}${path}`, init);
    expect(headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect(headers.get("content-security-policy")).not.toContain("unsafe");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("cross-origin-resource-policy")).toBe("same-origin");
    expect(headers.get("cross-origin-opener-policy")).toBe("same-origin");
    expect(headers.get("set-cookie")).toBeNull();
    expect([...headers.keys()].filter((name) => name.startsWith("access-control-"))).toEqual([]);
  }
});

test("no address leads out of the web app's folder", async () => {
  const paths = [
    "/../secret.txt",
    "/..%2fsecret.txt",
    "/%2e%2e/secret.txt",
    "/assets/../../secret.txt",
    "/assets/..%2f..%2fsecret.txt",
    "/..%5csecret.txt",
    "//secret.txt",
    "/link.txt",
    "/./../secret.txt",
    "/secret.txt%00.html",
    "/..;/secret.txt",
    "http://x/../secret.txt",
  ];
  for (const path of paths) {
    const answer = await rawRequest(it.server.port, [`GET ${path} HTTP/1.1`, `Host: ${own()}`]);
    expect(answer.body).not.toContain("the secret");
    expect([path, answer.status]).toEqual([path, 404]);
  }
});

test("no token, code or content shows up in the log, the page, an answer's head or the environment", async () => {
  const canary = `canary-${crypto.randomUUID()}`;
  const json = { "content-type": "application/json" };
  const machine = { authorization: `Bearer ${it.machineToken}` };
  const issued = (await (await fetch(`${it.url}/auth/code`, { method: "POST", headers: machine })).json()) as {
    code: string;
  };
  const exchange = () =>
    fetch(`${it.url}/auth/exchange`, { method: "POST", headers: json, body: JSON.stringify({ code: issued.code }) });
  const tab = (await (await exchange()).json()) as { token: string };
  await exchange();
  const data = (await (
    await fetch(`${it.url}/auth/token`, { method: "POST", headers: { authorization: `Bearer ${tab.token}` } })
  ).json()) as { access_token: string };
  const answers = await Promise.all([
    fetch(`${it.url}/api/status?token=${canary}`, {
      headers: { authorization: `Bearer ${data.access_token}`, apikey: canary, cookie: canary },
    }),
    fetch(`${it.url}/rest/v1/rpc/ping`, {
      method: "POST",
      headers: { ...json, ...machine },
      body: JSON.stringify({ team_id: it.teamId, note: { canary } }),
    }),
    fetch(`${it.url}/rest/v1/rpc/ping`, {
      method: "POST",
      headers: { ...json, ...machine },
      body: JSON.stringify({ team_id: canary }),
    }),
    fetch(`${it.url}/rest/v1/rpc/ping`, {
      method: "POST",
      headers: { ...json, authorization: `Bearer ${canary}` },
      body: `{"${canary}`,
    }),
    fetch(`${it.url}/?code=${canary}`),
  ]);
  const heads = answers.map((one) => JSON.stringify([...one.headers])).join();
  const page = await (await fetch(`${it.url}/`, { headers: machine })).text();
  const environment = JSON.stringify(process.env);
  expect(it.logged()).toContain('"fn":"ping"');
  for (const secret of [canary, it.machineToken, it.signingKey, issued.code, tab.token, data.access_token]) {
    for (const [place, text] of Object.entries({ log: it.logged(), heads, page, environment })) {
      expect([place, text.includes(secret)]).toEqual([place, false]);
    }
  }
});
