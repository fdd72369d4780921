/** Runs on machines of a fleet: where they go, what becomes of them when their machine is lost, and what a worker may see. */
import { afterAll, expect, test } from "bun:test";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Secret } from "@devflow/core/secret";
import { openDatabase } from "@devflow/db";
import { quietLog, startProcess, temporaryHome } from "@devflow/testkit";
import { fillDisk, lackOfSmallDisk, openSmallDisk } from "@devflow/testkit/small-disk";
import { openFleet } from "../testing/fleet-bench.ts";

const lack = await lackOfSmallDisk();
const fleet = await openFleet();
const first = await fleet.addWorker("first", { DEVFLOW_WORKER_LABELS: "fast" });
await fleet.addWorker("second");
afterAll(() => fleet.close());

const eventsOf = async (runId: string) =>
  (await fleet.server.call(`/api/runs/${runId}/events`)).json.events as {
    type: string;
    payload: Record<string, string>;
  }[];

test("a run goes to the machine with the label, and its work to the remote, whence the server shows it", async () => {
  const runId = await fleet.startRun("fast");
  const gate = await fleet.gate(runId);
  expect(await fleet.decide(gate.id)).toBe(201);
  const { state, host } = await fleet.closed(runId);
  expect([state, host]).toEqual(["completed", "first"]);
  const [commit] = (await eventsOf(runId)).filter((one) => one.type === "commit.created");
  expect(await fleet.workRefs(runId)).toEqual([commit?.payload.ref ?? ""]);
  const diff = await fleet.server.call(`/api/runs/${runId}/diff`);
  expect(diff.json.files).toHaveLength(1);
  const report = await fleet.server.call(`/api/runs/${runId}/report.md`);
  expect([report.status, report.text.includes("Greet")]).toEqual([200, true]);
  // The path of the machine's mirror says nothing to anybody.
  expect(report.text).toContain(`Repository \`${fleet.remote}\``);
  const verified = await fleet.server.call(`/api/runs/${runId}/verify`, { body: {} });
  expect(verified.json).toMatchObject({ ok: true });
  const branch = verified.json.checks.find((one: { name: string }) => one.name === "branch");
  expect(branch.detail).toContain("verify it there");
});

test("a run whose machine is killed stops at a gate, goes on elsewhere, and its machine comes back to nothing", async () => {
  const runId = await fleet.startRun("first", { implement: [{ scenario: "ok", delayMs: 600_000 }, "ok"] });
  await fleet.decide((await fleet.gate(runId)).id);
  await fleet.phase(runId, "implement", "awaiting_artifact");
  await first.kill();
  const gate = await fleet.gate(runId);
  expect(gate.gate).toBe("recovery:machine_lost");
  const { json: list } = await fleet.server.call("/api/fleet");
  expect(list.hosts.map((one: { host: string; state: string }) => [one.host, one.state])).toEqual([
    ["first", "lost"],
    ["second", "present"],
  ]);
  expect(await fleet.decide(gate.id)).toBe(201);
  const { state, host } = await fleet.closed(runId);
  expect([state, host]).toEqual(["completed", "second"]);
  const events = await eventsOf(runId);
  expect(events.find((one) => one.type === "run.moved")?.payload).toMatchObject({ from: "first", to: "second" });
  await first.start();
  await fleet.until("first is back", async () => {
    const { json } = await fleet.server.call("/api/fleet");
    return json.hosts.some((one: { host: string; state: string }) => one.host === "first" && one.state === "present");
  });
  expect(await eventsOf(runId)).toEqual(events);
  expect((await fleet.server.call(`/api/runs/${runId}/verify`, { body: {} })).json).toMatchObject({ ok: true });
});

test("a worker that was frozen while its run went on elsewhere changes nothing when it wakes, and its agents end", async () => {
  const runId = await fleet.startRun("first", { implement: [{ scenario: "ok", delayMs: 600_000 }, "ok"] });
  await fleet.decide((await fleet.gate(runId)).id);
  await fleet.phase(runId, "implement", "awaiting_artifact");
  first.process.signal("SIGSTOP");
  const gate = await fleet.gate(runId);
  expect(gate.gate).toBe("recovery:machine_lost");
  // The process that holds the agent has interrupted it by itself.
  expect(fleet.transcripts(first, runId)).toContain("[fake] interrupted");
  await fleet.decide(gate.id);
  const { state, host } = await fleet.closed(runId);
  expect([state, host]).toEqual(["completed", "second"]);
  const events = await eventsOf(runId);
  first.process.signal("SIGCONT");
  await fleet.until("its agents end", async () => fleet.livingAgents(first, runId).length === 0);
  expect(await eventsOf(runId)).toEqual(events);
});

test("runs that start at the same moment on a label are spread over its machines, and those that find all full are refused", async () => {
  const more = { DEVFLOW_WORKER_LABELS: "pool", DEVFLOW_MAX_CONCURRENT_RUNS: "2" };
  for (const name of ["third", "fourth"]) await fleet.addWorker(name, more);
  const starts = await Promise.allSettled(
    Array.from({ length: 5 }, () => fleet.startRun("pool", { plan: [{ scenario: "ok", delayMs: 600_000 }] })),
  );
  const started = starts.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  const hosts = await fleet.admin<{ host: string }[]>`select host from app.runs where id = any (${started})`;
  expect(hosts.map(({ host }) => host).sort()).toEqual(["fourth", "fourth", "third", "third"]);
  const refused = starts.flatMap((one) => (one.status === "rejected" ? [String(one.reason.message)] : []));
  expect(refused).toEqual(["2 runs are active, and the limit is 2."]);
  for (const runId of started) await fleet.abort(runId);
});

test("a machine that is drained takes no new run, and says so", async () => {
  const drained = await fleet.server.call("/api/fleet/second/drain", { body: {} });
  expect(drained.json.hosts.find((one: { host: string }) => one.host === "second").state).toBe("draining");
  await expect(fleet.startRun("second")).rejects.toMatchObject({
    code: "no_host",
    message: "No machine takes this run (second): second is draining.",
  });
  await fleet.server.call("/api/fleet/second/drain", { body: { undo: true } });
  await expect(fleet.startRun("nowhere")).rejects.toMatchObject({ code: "no_host" });
});

test("a worker that is told to end says so: its machine takes no run from then on, until it is started again", async () => {
  const leaver = await fleet.addWorker("leaver", {
    DEVFLOW_WORKER_SUSPECT_SECONDS: "60",
    DEVFLOW_WORKER_LOST_SECONDS: "120",
  });
  const stateOf = async () => {
    const { json } = await fleet.server.call("/api/fleet");
    const told = json.problems.filter((one: string) => one.startsWith("The worker on leaver was stopped"));
    return [json.hosts.find((one: { host: string }) => one.host === "leaver")?.state, told.length];
  };
  expect(await stateOf()).toEqual(["present", 0]);
  leaver.process.signal("SIGTERM");
  expect((await leaver.process.ended).code).toBe(0);
  expect(await stateOf()).toEqual(["suspect", 1]);
  await expect(fleet.startRun("leaver")).rejects.toThrow("leaver is suspect");
  await leaver.start();
  expect(await stateOf()).toEqual(["present", 0]);
  leaver.process.signal("SIGTERM");
  await leaver.process.ended;
});

test.skipIf(lack !== undefined)(
  "a worker whose disk is full removes what people want removed, which makes room",
  async () => {
    const disk = openSmallDisk();
    try {
      writeFileSync(join(disk.path, "machine-id"), "small\n", { mode: 0o600 });
      const small = await fleet.addWorker("small", { DEVFLOW_HOME: disk.path });
      const runId = await fleet.startRun("small");
      await fleet.decide((await fleet.gate(runId)).id);
      await fleet.closed(runId);
      const worktree = join(disk.path, "workspaces", runId, "main");
      expect(existsSync(worktree)).toBe(true);
      fillDisk(disk.path);
      await Bun.sleep(2_500);
      expect((await fleet.server.call(`/api/runs/${runId}/cleanup`, { body: {} })).status).toBe(200);
      await fleet.until("the worktree is removed", async () => !existsSync(worktree));
      await small.kill();
    } finally {
      disk.close();
    }
  },
);

test("a worker sees the runs of its token's team only, and nothing without its token", async () => {
  const { server } = fleet;
  const stranger = server.stranger;
  const [team] = await fleet.admin<{ id: string }[]>`select id from app.teams where slug = 'strangers'`;
  const open = (token: string) =>
    openDatabase({ target: new Secret(fleet.databaseUrl), workerToken: new Secret(token), poolSize: 1, log: quietLog });
  const ours = await open(await fleet.makeToken());
  const theirs = await open(await fleet.makeToken(team?.id, stranger.id));
  const nobody = await open("dfw_made_up");
  try {
    const runs = async (as: typeof ours) =>
      (await as.asEngine((tx) => tx<{ n: number }[]>`select count(*)::int as n from app.runs`))[0]?.n ?? -1;
    expect(await runs(ours)).toBeGreaterThan(1);
    expect([await runs(theirs), await runs(nobody)]).toEqual([0, 0]);
    const taken = await theirs.asEngine((tx) => tx`update app.runs set host = 'mine' returning id`);
    expect(taken).toHaveLength(0);
    const change = theirs.asEngine(
      (tx) => tx`select app.append_changes(${server.teamId}, 'run', array[gen_random_uuid()])`,
    );
    await expect(change).rejects.toMatchObject({ code: "42501" });
    await expect(ours.asEngine((tx) => tx`select * from app.access_tokens`)).rejects.toMatchObject({ code: "42501" });
    await expect(ours.asEngine((tx) => tx`select email from app.users`)).rejects.toMatchObject({ code: "42501" });
  } finally {
    await Promise.all([ours.close(), theirs.close(), nobody.close()]);
  }
});

test("a worker whose token is revoked ends and says why, and does not start again", async () => {
  const worker = await fleet.addWorker("revoked");
  await fleet.admin`
    update app.access_tokens set revoked_at = now()
    where id = (select id from app.access_tokens where scopes = '{worker}' order by created_at desc limit 1)`;
  const refused = /The worker's token is refused[^\n]*\n.*devflow team token create/;
  const { code, stderr } = await worker.process.ended;
  expect(code).toBe(77);
  expect(stderr).toMatch(refused);
  await expect(worker.start()).rejects.toThrow(refused);
});

test("a worker that lacks a setting does not start, and names the setting", async () => {
  const without = (name: string, value = "") => fleet.addWorker("unset", { [name]: value });
  await expect(without("DEVFLOW_WORKER_TOKEN")).rejects.toThrow(/may not act as[^\n]*\nSet DEVFLOW_WORKER_TOKEN/);
  await expect(without("DEVFLOW_DATABASE_URL")).rejects.toThrow("DEVFLOW_DATABASE_URL is not set");
  const odd = without("DEVFLOW_TEMPORAL_ADDRESS", "http://temporal.example.com");
  await expect(odd).rejects.toThrow(/temporal_address[^\n]*expected host:port/);
});

test("a worker that waits for a database ends at the first Ctrl-C", async () => {
  const silent = createServer().listen(0, "127.0.0.1");
  await once(silent, "listening");
  const { port } = silent.address() as AddressInfo;
  const connected = once(silent, "connection");
  const url = `postgres://devflow_worker:x@127.0.0.1:${port}/devflow`;
  const env = temporaryHome().environment({ DEVFLOW_DATABASE_URL: url, DEVFLOW_WORKER_TOKEN: "dfw_x" });
  const program = fileURLToPath(new URL("../src/main.ts", import.meta.url));
  const starting = startProcess([process.execPath, program], { env });
  await connected;
  starting.signal("SIGINT");
  expect(await starting.ended).toMatchObject({ code: 0, stderr: "" });
  silent.close();
});

test("a worker that never had a connection to Temporal ends when it is told to", async () => {
  const worker = await fleet.addWorker("unconnected", { DEVFLOW_TEMPORAL_ADDRESS: "temporal:7233:x" });
  worker.process.signal("SIGTERM");
  expect(await worker.process.ended).toMatchObject({ code: 0 });
});

test("a worker that is older than the database does not start, and says what to do", async () => {
  await fleet.admin`insert into devflow.migrations (number, name, hash) values (9999, '9999_of_tomorrow', 'x')`;
  try {
    await expect(fleet.addWorker("older")).rejects.toThrow(
      /The database is at migration 9999_of_tomorrow; this Devflow supports only up to \w+\.\s+Upgrade this executable/,
    );
  } finally {
    await fleet.admin`delete from devflow.migrations where number = 9999`;
  }
});
