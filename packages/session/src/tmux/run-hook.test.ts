import { expect, test } from "bun:test";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@devflow/testkit";
import { type Hook, listenForHooks } from "./hook-socket.ts";
import { runHook } from "./run-hook.ts";

async function runWith(socket: string, input: object): Promise<string> {
  let printed = "";
  async function* bytes() {
    yield Buffer.from(JSON.stringify(input));
  }
  await runHook(socket, {
    input: bytes(),
    print: (answer) => {
      printed += answer;
    },
  });
  return printed;
}

const newSocket = () => join(temporaryFolder(), "hook");

test("a hook prints its holder's answer, and nothing for an empty one", async () => {
  const socket = newSocket();
  const holder = await listenForHooks(socket, (hook) =>
    hook.answer(hook.event === "Stop" ? { decision: "block" } : undefined),
  );
  expect(statSync(socket).mode & 0o777).toBe(0o600);
  expect(await runWith(socket, { hook_event_name: "Stop" })).toBe('{"decision":"block"}');
  expect(await runWith(socket, { hook_event_name: "UserPromptSubmit", prompt: "x".repeat(300_000) })).toBe("");
  holder.close();
  expect(existsSync(socket)).toBe(false);
});

test("without a holder the agent goes on at once", async () => {
  expect(await runWith(newSocket(), { hook_event_name: "PermissionRequest" })).toBe("");
});

test("a permission whose holder died is asked again under the same id", async () => {
  const socket = newSocket();
  const ids: string[] = [];
  const asked = Promise.withResolvers<void>();
  const first = await listenForHooks(socket, (hook) => {
    ids.push(hook.id);
    asked.resolve();
  });
  const answer = runWith(socket, { hook_event_name: "PermissionRequest" });
  await asked.promise;
  first.close();
  const second = await listenForHooks(socket, (hook) => {
    ids.push(hook.id);
    hook.answer({ allowed: true });
  });
  expect(await answer).toBe('{"allowed":true}');
  expect(new Set(ids).size).toBe(1);
  expect(ids).toHaveLength(2);
  second.close();
});

test("what is not a hook's question gets an empty answer, and an agent that stops waiting is noticed", async () => {
  const socket = newSocket();
  const came = Promise.withResolvers<Hook>();
  const holder = await listenForHooks(socket, came.resolve);
  const { createConnection } = await import("node:net");
  const nonsense = createConnection(socket, () => nonsense.write("nonsense\n"));
  expect(await new Promise((resolve) => nonsense.once("data", (data) => resolve(String(data))))).toBe("\n");
  const asks = createConnection(socket, () =>
    asks.write(`${JSON.stringify({ id: "1", input: '{"hook_event_name":"Stop"}' })}\n`),
  );
  const hook = await came.promise;
  const gone = new Promise<void>((resolve) => hook.onGone(resolve));
  asks.destroy();
  await gone;
  holder.close();
});
