/** kill -9 of the server at its worst moments: what was acknowledged stays, what is retried happens once. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { uuidv7 } from "@devflow/core/ids";
import { type ServerProcessOptions, serverProgram } from "@devflow/testkit";
import { openStream } from "./stream-client.ts";
import { startTestServer, type TestServer } from "./test-server.ts";

let it: TestServer;
const children: Bun.Subprocess[] = [];
beforeAll(async () => {
  it = await startTestServer();
}, 60_000);
afterAll(async () => {
  for (const child of children) {
    child.kill("SIGKILL");
    await child.exited;
  }
  await it.stop();
}, 60_000);

async function startProcess(
  fault?: string,
): Promise<{ url: string; exited: Promise<number>; signal: () => string | number | null }> {
  const { target, name } = it.database;
  const options: ServerProcessOptions = {
    target: { ...target, password: target.password?.reveal() ?? "" },
    database: name,
    machineToken: it.machineToken,
    signingKey: it.signingKey,
  };
  const child = Bun.spawn([process.execPath, serverProgram], {
    env: { ...process.env, DEVFLOW_FAULT: fault },
    stdin: new Blob([JSON.stringify(options)]),
    stdout: "pipe",
    stderr: "inherit",
  });
  children.push(child);
  let text = "";
  for await (const chunk of child.stdout as ReadableStream<Uint8Array>) {
    text += new TextDecoder().decode(chunk);
    if (text.includes("\n")) break;
  }
  return { url: `http://127.0.0.1:${Number(text)}`, exited: child.exited, signal: () => child.signalCode };
}

const ping = (url: string, id: string) =>
  fetch(`${url}/rest/v1/rpc/ping`, {
    method: "POST",
    headers: { authorization: `Bearer ${it.machineToken}`, "content-type": "application/json" },
    body: JSON.stringify({ team_id: it.teamId, id, note: { id } }),
  });
const rowsOf = async (id: string) => (await it.admin`select 1 from app.pings where id = ${id}`).length;
const changesOf = async (id: string) => (await it.admin`select 1 from app.changes where entity_id = ${id}`).length;

test("killed between the commit and the reply, a retry with the same id leaves one row and one change", async () => {
  const id = uuidv7();
  const doomed = await startProcess("afterCommitBeforeReply:kill");
  await expect(ping(doomed.url, id)).rejects.toThrow();
  await doomed.exited;
  expect(doomed.signal()).toBe("SIGKILL");
  expect([await rowsOf(id), await changesOf(id)]).toEqual([1, 1]);
  const next = await startProcess();
  const retried = await ping(next.url, id);
  expect([retried.status, ((await retried.json()) as { id: string }).id]).toEqual([200, id]);
  expect([await rowsOf(id), await changesOf(id)]).toEqual([1, 1]);
});

test("killed before the commit, nothing was written, and the retry writes it", async () => {
  const id = uuidv7();
  const doomed = await startProcess("beforeCommit:kill");
  await expect(ping(doomed.url, id)).rejects.toThrow();
  await doomed.exited;
  expect(await rowsOf(id)).toBe(0);
  expect((await ping(it.url, id)).status).toBe(200);
  expect([await rowsOf(id), await changesOf(id)]).toEqual([1, 1]);
});

test("killed between reading changes and sending them, a follower resumes elsewhere without a gap", async () => {
  const doomed = await startProcess("afterChangesReadBeforeSend:kill:3");
  const stream = await openStream(`${doomed.url}/sse/team/${it.teamId}`, it.token);
  const ready = await stream.until((one) => one.event === "ready");
  const start = Number(ready.id);
  const ids = Array.from({ length: 8 }, () => uuidv7());
  let isBroken = false;
  void stream.ended.then(() => {
    isBroken = true;
  });
  for (const id of ids) {
    await ping(it.url, id);
    // One read per change, so that the third one is the last.
    if (!isBroken) await Promise.race([stream.ended, stream.until((one) => one.data.entityId === id).catch(() => {})]);
  }
  expect(await stream.ended).toBe("broken");
  await doomed.exited;
  const resumed = await openStream(`${it.url}/sse/team/${it.teamId}`, it.token, stream.lastId());
  await resumed.until((one) => one.event === "ready");
  expect([...stream.seqs(), ...resumed.seqs()]).toEqual(ids.map((_, index) => start + 1 + index));
  expect(
    [...stream.frames, ...resumed.frames].filter((one) => one.event === "change").map((one) => one.data.entityId),
  ).toEqual(ids);
  resumed.close();
});
