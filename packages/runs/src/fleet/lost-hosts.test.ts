import { afterAll, expect, test } from "bun:test";
import { openEngineBench } from "../../testing/engine-bench.ts";
import { nextStep } from "../engine/next-step.ts";
import { takeFromLost } from "./lost-hosts.ts";

const nobody = { wake() {}, nudge() {}, async start() {}, async stop() {} };
const bench = await openEngineBench({ host: "lost", driver: { engine: "temporal", create: () => nobody } });
afterAll(() => bench.close());

const announce = (host: string, silentSeconds: number) =>
  bench.database.asEngine(
    (tx) => tx`
      insert into app.hosts (host, name, version, agents, places, workspace_root, public_key, suspect_ms, lost_ms, beat_at, engine)
      values (${host}, ${host}, '0.1.0', '[]', 4, ${`/of/${host}`}, '', 1000, 3000, now() - make_interval(secs => ${silentSeconds}),
        '{"kind": "connected", "message": "", "since": ""}')
      on conflict (host) do update set beat_at = excluded.beat_at, lost_at = null`,
  );
const stepOf = async (runId: string) => nextStep(await bench.snapshot(runId), Date.now());

test("a run that had not begun when its machine was lost asks once, and goes on elsewhere, as often as that happens", async () => {
  const { runId } = await bench.start();
  await bench.admin`update app.runs set remote = 'https://example.com/shop.git' where id = ${runId}`;
  await announce("lost", 60);
  expect(await takeFromLost(bench.context)).toEqual([runId]);
  expect(await takeFromLost(bench.context)).toEqual([]);
  expect(await stepOf(runId)).toMatchObject({ kind: "wait", reason: "approval" });
  const gate = await bench.gate(runId);
  expect(gate.gate_key).toBe("recovery:machine_lost");
  await expect(bench.decide(gate.id, "approve")).rejects.toThrow("No other machine can take run");
  await announce("second", 0);
  await bench.decide(gate.id, "approve");
  const moved = (await bench.snapshot(runId)).run;
  expect([moved.state, moved.host, moved.incarnation]).toEqual(["created", "second", 1]);
  expect((await stepOf(runId)).kind).toBe("lock_bindings");

  await announce("second", 60);
  await announce("third", 0);
  expect(await takeFromLost(bench.context)).toEqual([runId]);
  await bench.decide((await bench.gate(runId)).id, "approve");
  expect((await bench.snapshot(runId)).run.host).toBe("third");
});

test("a run that had only its end left when its machine was lost ends elsewhere, without a question", async () => {
  for (const state of ["executing", "completed"]) {
    const { runId } = await bench.start();
    await bench.admin`update app.run_phases set state = 'completed' where run_id = ${runId}`;
    await bench.admin`
      update app.runs set remote = 'https://example.com/shop.git', state = ${state},
        ended_at = case when ${state} = 'completed' then now() end
      where id = ${runId}`;
    for (const host of ["second", "third"]) await announce(host, 60);
    await announce("lost", 60);
    expect(await takeFromLost(bench.context)).not.toContain(runId);
    expect((await bench.snapshot(runId)).run.host).toBe("lost");
    await announce("second", 0);
    await takeFromLost(bench.context);
    expect([(await bench.snapshot(runId)).run.host, (await stepOf(runId)).kind]).toEqual([
      "second",
      state === "completed" ? "close_run" : "complete_run",
    ]);
  }
});

test("a run that waits in the queue of a lost machine asks too, and can be aborted", async () => {
  const { runId } = await bench.start();
  await bench.admin`update app.runs set queued = true where id = ${runId}`;
  await announce("lost", 60);
  expect(await takeFromLost(bench.context)).toEqual([runId]);
  await bench.decide((await bench.gate(runId)).id, "abort");
  expect((await bench.snapshot(runId)).run.state).toBe("aborted");
});
