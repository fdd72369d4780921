/** What takes more than ten seconds to see, seen at once. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect } from "node:net";
import { openStream } from "./stream-client.ts";
import { startTestServer, type TestServer } from "./test-server.ts";

let it: TestServer;
beforeAll(async () => {
  it = await startTestServer({ times: { heartbeatMs: 13_500, pollMs: 600_000 }, limits: { idleTimeoutS: 10 } });
}, 60_000);
afterAll(() => it.stop(), 60_000);

test.concurrent("a silent stream outlives the runtime's idle timeout of ten seconds, and then brings a heartbeat", async () => {
  const stream = await openStream(`${it.url}/sse/team/${it.teamId}`, it.token);
  await stream.until((one) => one.event === "ready");
  const beat = await stream.until((one) => one.event === "heartbeat", 18_000);
  expect(beat).toEqual({ id: undefined, event: "heartbeat", data: {} });
  const ping = await fetch(`${it.url}/rest/v1/rpc/ping`, {
    method: "POST",
    headers: { authorization: `Bearer ${it.token}`, "content-type": "application/json" },
    body: JSON.stringify({ team_id: it.teamId }),
  });
  expect(ping.status).toBe(200);
  await stream.until((one) => one.event === "change");
  stream.close();
}, 30_000);

test.concurrent("a client that sends its request drop by drop is cut off", async () => {
  const socket = connect(it.server.port, "127.0.0.1");
  socket.on("error", () => {});
  socket.write("GET /health HTTP/1.1\r\n");
  const drip = setInterval(() => socket.writable && socket.write("X-A: b\r\n"), 300);
  await new Promise<void>((resolve) => socket.once("close", () => resolve()));
  clearInterval(drip);
}, 30_000);
