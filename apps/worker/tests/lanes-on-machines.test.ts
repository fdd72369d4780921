/** A run whose lanes work on several machines: where they go, how their work comes together, and what a lost machine costs. */
import { afterAll, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { git } from "@devflow/git";
import { planPhase, smallTemplate, workPhase } from "@devflow/runs/testing";
import { openFleet } from "../testing/fleet-bench.ts";

const fleet = await openFleet();
afterAll(() => fleet.close());
// A worker interrupts its agents after half of the time: not because two cores are busy with other tests for two seconds.
const times = { DEVFLOW_WORKER_SUSPECT_SECONDS: "4", DEVFLOW_WORKER_LOST_SECONDS: "8" };
const pool = { DEVFLOW_WORKER_LABELS: "pool,fragile", DEVFLOW_MAX_CONCURRENT_RUNS: "2", ...times };
const machines = await Promise.all(["one", "two", "three"].map((name) => fleet.addWorker(name, pool)));

const cut = { ...planPhase, expectedArtifact: { path: "tasks.json", schema: "dev/dag@2" } };
const lanes = {
  ...({ key: "lanes", kind: "lanes", title: "Lanes", risk: "low" } as const),
  lanes: { from: "plan", template: "pool-lane@1", most: 6 },
};
await fleet.addTemplate(smallTemplate("pool-lane", [{ ...workPhase, instructions: "{{requirements}}" }]));
await fleet.addTemplate(smallTemplate("pool-lanes", [cut, lanes]));

const graph = (ids: readonly string[], dependsOn: Readonly<Record<string, readonly string[]>> = {}) => ({
  plan: {
    artifact: {
      tasks: ids.map((id) => ({ id, title: id, dependsOn: dependsOn[id] ?? [], writeSet: [`${id}.txt`] })),
    },
  },
});
const slow = { implement: [{ scenario: "ok", delayMs: 600_000 }, "ok"] };
const start = (on: string, script: ReturnType<typeof graph>, ofLanes: Readonly<Record<string, unknown>> = {}) =>
  fleet.startRun(on, script, { template: "pool-lanes@1", lanes: ofLanes });

interface Lane {
  readonly id: string;
  readonly lane: string;
  readonly host: string;
  readonly state: string;
  readonly reason: string | null;
  readonly closed: boolean;
}
const lanesOf = (runId: string) => fleet.admin<Lane[]>`
  select id, lane_id as lane, host, state, failure_reason as reason, final_report_path is not null as closed from app.runs
  where parent_run_id = ${runId} order by created_at`;
const verified = async (runId: string) => {
  const { json } = await fleet.server.call(`/api/runs/${runId}/verify`, { body: {} });
  return { ok: json.ok, bad: json.checks.filter((one: { ok: boolean }) => !one.ok) };
};
/** The files at the end of the run's branch, as they are on the remote. */
const merged = async (runId: string): Promise<string[]> => {
  const [last] = await fleet.admin<{ ref: string }[]>`
    select payload ->> 'ref' as ref from app.run_events where run_id = ${runId} and type = 'merge.completed'
    order by seq desc limit 1`;
  const words = { cwd: fleet.server.repository, env: fleet.server.home.environment() };
  await git(["fetch", "--quiet"], { ...words, protocols: ["file"], revisions: [fleet.remote, last?.ref ?? ""] });
  const { stdout } = await git(["ls-tree", "-r", "--name-only"], { ...words, revisions: ["FETCH_HEAD"] });
  return stdout.split("\n").filter((name) => name.endsWith(".txt"));
};
const machineOf = (name: string) => {
  const found = machines.find((one) => one.name === name);
  if (!found) throw new Error(`no machine ${name}`);
  return found;
};

test("six lanes of a run for a label work on its three machines, and come together on the run's", async () => {
  const ids = ["a", "b", "c", "d", "e", "f"];
  const delayed = Object.fromEntries(ids.map((id) => [id, { implement: { scenario: "ok", delayMs: 1_500 } }]));
  const runId = await start("pool", graph(ids), delayed);
  const { state } = await fleet.closed(runId);
  const { json: run } = await fleet.server.call(`/api/runs/${runId}`);
  expect([state, run.tasks.map((one: { state: string }) => one.state)]).toEqual(["completed", Array(6).fill("done")]);
  const hosts = (await lanesOf(runId)).map((one) => one.host);
  expect(
    Object.fromEntries(["one", "two", "three"].map((name) => [name, hosts.filter((one) => one === name).length])),
  ).toEqual({ one: 2, two: 2, three: 2 });
  expect(await merged(runId)).toEqual(ids.map((id) => `${id}.txt`));
  expect(await verified(runId)).toEqual({ ok: true, bad: [] });
  const diff = await fleet.server.call(`/api/runs/${runId}/diff`);
  expect(diff.json.files).toHaveLength(6);
});

test("lanes on two machines that conflict: by hand is looked for on the run's machine; cleaning up reaches every machine", async () => {
  const both = (text: string) => ({ implement: { files: { "same.txt": `${text}\n` } } });
  const tasks = ["left", "right"].map((id) => ({ id, title: id, dependsOn: [], writeSet: ["same.txt"] }));
  const script = { plan: { artifact: { tasks } } };
  const runId = await fleet.startRun("pool", script, {
    template: "pool-lanes@1",
    lanes: { left: both("left"), right: both("right") },
  });
  const question = await fleet.gate(runId);
  expect(question.gate).toBe("parallel_dag_approved");
  await fleet.decide(question.id, "approve", { choice: "parallel" });
  const conflict = await fleet.gate(runId);
  expect(conflict.gate).toBe("merge_conflict");
  const { json: run } = await fleet.server.call(`/api/runs/${runId}`);
  const hosts = (await lanesOf(runId)).map((one) => one.host);
  expect(new Set(hosts).size).toBe(2);
  // Said too early: there is no merge, so the run's machine asks again and says why.
  expect(await fleet.decide(conflict.id, "approve", { choice: "by_hand" })).toBe(201);
  const again = await fleet.until("it asks again", async () => {
    const gate = await fleet.gate(runId);
    return gate.id !== conflict.id && gate;
  });
  const detail = again.detail ?? "";
  expect([again.gate, detail]).toEqual(["merge_conflict", expect.stringContaining("does not contain the lane")]);
  const command = detail.split("\n").find((line) => line.includes("git -C"));
  const words = command?.trim().split(" ") ?? [];
  const [worktree = "", head = ""] = [words[2], words.at(-1)];
  expect(worktree).toBe(run.worktree);
  const place = { cwd: worktree, env: machineOf(run.host).home.environment() };
  const who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"];
  Bun.spawnSync(["git", ...who, "merge", "--no-ff", "--strategy-option=theirs", "-m", "By hand", head], place);
  expect(await fleet.decide(again.id, "approve", { choice: "by_hand" })).toBe(201);
  expect((await fleet.closed(runId)).state).toBe("completed");
  expect(await merged(runId)).toEqual(["same.txt"]);
  expect(await verified(runId)).toEqual({ ok: true, bad: [] });
  // One ref holds the result; those of the lanes go, and their worktrees on every machine.
  const clean = (body = {}) => fleet.server.call(`/api/runs/${runId}/cleanup`, { body });
  writeFileSync(join(worktree, "left.txt"), "not committed");
  expect((await clean()).json.elsewhere.map((one: { host: string }) => one.host).sort()).toEqual(
    [...new Set([run.host, ...hosts])].sort(),
  );
  const problem = await fleet.until("it says what it keeps", async () =>
    (await clean()).json.elsewhere.flatMap((one: { problems: string[] }) => one.problems).at(0),
  );
  expect(problem).toContain("has uncommitted work: left.txt");
  await fleet.until("every machine has removed it", async () =>
    (await clean({ force: true, confirm: runId })).json.elsewhere.every(
      (one: { runs: number; done: number }) => one.done === one.runs,
    ),
  );
  expect(existsSync(worktree)).toBe(false);
  for (const lane of await lanesOf(runId)) expect(await fleet.workRefs(lane.id)).toEqual([]);
  expect(await fleet.workRefs(runId)).toHaveLength(1);
});

test("what a person does with a run of another machine: attach a file, comment, talk, fork it, open its pull request", async () => {
  const { origin } = new URL(fleet.server.url);
  const upload = await fetch(`${origin}/api/runs/attachments?name=note.txt`, {
    ...{ method: "POST", body: "As in this note", headers: { authorization: `Bearer ${fleet.server.token}` } },
  });
  const attachment = ((await upload.json()) as { id: string }).id;
  const script = { implement: { files: { "hello.txt": "Hello\nWorld\n" } } };
  const runId = await fleet.startRun("three", script, { attachments: [attachment] });
  const gate = await fleet.gate(runId);
  const given = await Array.fromAsync(
    new Bun.Glob(`*/workspaces/${runId}/sessions/*/instructions/attachments/*`).scan({
      ...{ cwd: machineOf("three").home.path, dot: true, absolute: true },
    }),
  );
  expect(given.map((path) => readFileSync(path, "utf8"))).toEqual(["As in this note"]);
  const content = await fleet.server.call(`/api/runs/${runId}/attachments/${attachment}/content`);
  expect([content.status, content.text]).toEqual([200, "As in this note"]);
  await fleet.decide(gate.id);
  expect((await fleet.closed(runId)).state).toBe("completed");
  const picture = await fleet.server.call(`/api/runs/${runId}/comments`);
  expect([picture.status, picture.json.comments]).toEqual([200, []]);
  const said = await fleet.server.call(`/api/runs/${runId}/say`, { body: { text: "Hi", clientToken: "1" } });
  // Told by the run's state, and not by its machine.
  expect(said.json.error.code).toBe("illegal_transition");
  const fork = { at: "implement", clientToken: "2" };
  const forked = await fleet.server.call(`/api/runs/${runId}/fork`, { body: fork });
  expect(forked.status).toBe(201);
  expect((await fleet.closed(forked.json.runId)).host).toBe("test-machine");
  const opened = await fleet.server.call(`/api/runs/${runId}/pr`, { body: {} });
  expect(opened.json).toMatchObject({ action: "pushed", remote: fleet.remote });
  const pushed = { cwd: fleet.remote, env: fleet.server.home.environment(), bare: true };
  const shown = Bun.spawnSync(["git", "show", `${opened.json.branch}:hello.txt`], pushed);
  expect(shown.stdout.toString()).toBe("Hello\nWorld\n");
});

test("a task that depends on another one begins on another machine with what was merged", async () => {
  const runId = await start("pool", graph(["base", "left", "right"], { left: ["base"], right: ["base"] }));
  expect((await fleet.closed(runId)).state).toBe("completed");
  const hosts = new Set((await lanesOf(runId)).slice(1).map((one) => one.host));
  expect(hosts.size).toBe(2);
  expect(await merged(runId)).toEqual(["base.txt", "left.txt", "right.txt"]);
});

test("a run that was started on a machine by its name keeps its lanes there", async () => {
  const runId = await start("two", graph(["a", "b", "c"]));
  expect((await fleet.closed(runId)).state).toBe("completed");
  expect((await lanesOf(runId)).map((one) => one.host)).toEqual(["two", "two", "two"]);
});

test("a lane whose machine is killed asks, and goes on elsewhere; the run merges what it did there", async () => {
  const runId = await start("pool", graph(["a", "b", "c"]), { a: slow, b: slow, c: slow });
  const working = await fleet.until("three lanes work", async () => {
    const found = await lanesOf(runId);
    const busy = await fleet.admin`
      select from app.sessions s join app.runs r on r.id = s.run_id where r.parent_run_id = ${runId} and s.state = 'BUSY'`;
    return busy.length === 3 && found.length === 3 && found;
  });
  const { json: parent } = await fleet.server.call(`/api/runs/${runId}`);
  const lane = working.find((one) => one.host !== parent.host) as Lane;
  const machine = machineOf(lane.host);
  await machine.kill();
  const gate = await fleet.gate(lane.id);
  expect(gate.gate).toBe("recovery:machine_lost");
  expect(await fleet.decide(gate.id)).toBe(201);
  await fleet.until("it is elsewhere", async () =>
    (await lanesOf(runId)).find((one) => one.id === lane.id && one.host !== lane.host),
  );
  const done = await fleet.until("it is done", async () =>
    (await lanesOf(runId)).find((one) => one.id === lane.id && one.closed),
  );
  expect([done.state, done.reason]).toEqual(["completed", null]);
  await machine.start();
  // The others wait for their first answer for ten minutes; nobody has to.
  for (const one of working.filter((other) => other.id !== lane.id)) await fleet.abort(one.id);
  for (const name of ["first", "second"]) {
    const asked = await fleet.gate(runId);
    expect([name, asked.gate]).toEqual([name, "lane_failed"]);
    await fleet.decide(asked.id, "approve", { choice: "drop" });
  }
  expect((await fleet.closed(runId)).state).toBe("completed");
  expect(await merged(runId)).toEqual([`${lane.lane}.txt`]);
  expect(await verified(runId)).toEqual({ ok: true, bad: [] });
});

test("the machine of the run is killed between a merge and its push: the run moves, merges again and loses nothing", async () => {
  const fragile = { DEVFLOW_WORKER_LABELS: "fragile", DEVFLOW_MAX_CONCURRENT_RUNS: "3", ...times };
  const four = await fleet.addWorker("four", { ...fragile, DEVFLOW_FAULT: "after_merge_made:kill:2" });
  const later = { implement: { scenario: "ok", delayMs: 1_000 } };
  const tasks = graph(["a", "b", "c", "d"], { d: ["b"] });
  const runId = await start("fragile", tasks, { a: { implement: "ok" }, b: slow, c: later });
  await four.process.ended;
  const before = await lanesOf(runId);
  expect(before.find((one) => one.lane === "b")?.host).toBe("four");
  // The run asks, and so do the lanes that were on its machine.
  const answered = new Map<string, string>();
  await fleet.until("the run is closed", async () => {
    // A machine that is silent for a moment is refused; then it is asked once more.
    for (const { id, gate } of await fleet.openGates()) if ((await fleet.decide(id)) === 201) answered.set(id, gate);
    const { json } = await fleet.server.call(`/api/runs/${runId}`);
    return json.state === "completed" && json.hasReport;
  });
  expect([...answered.values()]).toEqual(["recovery:machine_lost", "recovery:machine_lost"]);
  const { json: run } = await fleet.server.call(`/api/runs/${runId}`);
  expect(run.host).not.toBe("four");
  expect(await merged(runId)).toEqual(["a.txt", "b.txt", "c.txt", "d.txt"]);
  expect(await verified(runId)).toEqual({ ok: true, bad: [] });
});
