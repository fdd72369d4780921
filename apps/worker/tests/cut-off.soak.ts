/** A machine that is cut off for a quarter of an hour, with the times that a fleet really has; see fleet.test.ts for short ones. */
import { afterAll, expect, test } from "bun:test";
import { openFleet } from "../testing/fleet-bench.ts";

const cutOffMs = 15 * 60_000;
const limitMs = 30 * 60_000;
const times = {
  DEVFLOW_WORKER_BEAT_SECONDS: "10",
  DEVFLOW_WORKER_SUSPECT_SECONDS: "120",
  DEVFLOW_WORKER_LOST_SECONDS: "600",
};
const fleet = await openFleet({ patienceMs: cutOffMs });
const first = await fleet.addWorker("first", times);
await fleet.addWorker("second", times);
afterAll(() => fleet.close());

test(
  "a machine that is cut off for 15 minutes while its run goes on elsewhere changes nothing when it is back, and its agents end",
  async () => {
    const runId = await fleet.startRun("first", { implement: [{ scenario: "ok", delayMs: 3_600_000 }, "ok"] });
    await fleet.decide((await fleet.gate(runId)).id);
    await fleet.phase(runId, "implement", "awaiting_artifact");
    const since = Date.now();
    first.process.signal("SIGSTOP");
    const gate = await fleet.gate(runId);
    expect(gate.gate).toBe("recovery:machine_lost");
    expect(fleet.transcripts(first, runId)).toContain("[fake] interrupted");
    await fleet.decide(gate.id);
    const { state, host } = await fleet.closed(runId);
    expect([state, host]).toEqual(["completed", "second"]);
    const refs = await fleet.workRefs(runId);
    const events = (await fleet.server.call(`/api/runs/${runId}/events`)).json.events;
    await Bun.sleep(Math.max(0, since + cutOffMs - Date.now()));
    first.process.signal("SIGCONT");
    await fleet.until("its agents end", async () => fleet.livingAgents(first, runId).length === 0);
    await fleet.until("it is back", async () => {
      const { json } = await fleet.server.call("/api/fleet");
      return json.hosts.some((one: { host: string; state: string }) => one.host === "first" && one.state === "present");
    });
    expect((await fleet.server.call(`/api/runs/${runId}/events`)).json.events).toEqual(events);
    expect(await fleet.workRefs(runId)).toEqual(refs);
    expect((await fleet.server.call(`/api/runs/${runId}/verify`, { body: {} })).json).toMatchObject({ ok: true });
  },
  limitMs,
);
