import { afterAll, expect, test } from "bun:test";
import { Secret } from "@devflow/core/secret";
import { composeTest } from "./compose-alert.ts";
import { sendWebhook } from "./send-webhook.ts";

const received: { path: string; body: unknown }[] = [];
const receiver = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    const { pathname } = new URL(request.url);
    received.push({ path: pathname, body: await request.json() });
    if (pathname === "/away") return new Response("", { status: 302, headers: { location: "/taken" } });
    return new Response("ok", { status: pathname === "/no" ? 403 : 200 });
  },
});
afterAll(() => receiver.stop(true));

const message = composeTest("Engines", "test:1");
const send = (path: string, format: "auto" | "slack" | "json" = "auto", allowHosts = ["127.0.0.1"]) =>
  sendWebhook({ url: new Secret(`http://127.0.0.1:${receiver.port}${path}`), format }, message, { allowHosts });

test("facts for programs, or only a text for Slack", async () => {
  expect([await send("/json"), await send("/slack", "slack")]).toEqual([undefined, undefined]);
  const text =
    "*Test: alerts of Engines arrive here*\nWhen an eval suite gets worse, and when it has recovered, a message comes here.";
  expect(received.splice(0)).toEqual([
    { path: "/json", body: { id: "test:1", event: "test", team: "Engines", text, facts: {} } },
    { path: "/slack", body: { text } },
  ]);
});

test("a refusal is told without the URL, and a redirect is not followed", async () => {
  expect([await send("/no"), await send("/away")]).toEqual([
    "the webhook answered with status 403",
    "the webhook answered with status 302",
  ]);
  expect(received.splice(0).map(({ path }) => path)).toEqual(["/no", "/away"]);
  const gone = new Secret("http://127.0.0.1:1/secret-path");
  const reason = await sendWebhook({ url: gone, format: "auto" }, message, { allowHosts: ["127.0.0.1"] });
  expect(reason).toBe("the webhook cannot be reached (ECONNREFUSED)");
});

test("an address of this machine is refused, by number and by name", async () => {
  const refused = expect.stringContaining("the webhook is in a private network");
  expect(await send("/x", "auto", [])).toEqual(refused);
  const named = new Secret(`http://localhost:${receiver.port}/x`);
  expect(await sendWebhook({ url: named, format: "auto" }, message, { allowHosts: [] })).toEqual(refused);
  expect(received).toEqual([]);
});
