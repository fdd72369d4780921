/**
 * Two drivers on one run, as after a lost heartbeat: the newer one owns the run, and nothing that the older one still
 * tries is recorded or reaches an agent.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type EngineBench, openEngineBench } from "../../testing/engine-bench.ts";
import { planPhase, smallTemplate } from "../../testing/small-templates.ts";
import type { ChainedEvent } from "../events/chain.ts";
import { createRunFeed } from "../live/run-feed.ts";
import { keepTranscript } from "../sessions/session-repository.ts";
import { advance } from "./advance.ts";
import { changeAsDriver, type DriverContext } from "./context.ts";
import { createRunEngine } from "./create-run-engine.ts";
import { createInlineDriver } from "./inline-driver.ts";
import { nextStep } from "./next-step.ts";
import { performStep } from "./perform-step.ts";
import type { Snapshot } from "./snapshot.ts";
import { takeRun } from "./take-run.ts";

const bench: EngineBench = await openEngineBench({ maxConcurrentRuns: 50 });
afterAll(() => bench.close());
const { signal } = new AbortController();
const replaced = { code: "driver_replaced" };

beforeAll(async () => {
  await bench.addTemplate(smallTemplate("two-drivers", [{ ...planPhase, gates: ["plan_approved"] }]));
  // Runs are advanced manually here.
  await bench.engine.stop();
});

const take = async (runId: string): Promise<DriverContext> => {
  const driver = await takeRun(bench.context, runId, signal, { wakeRun: () => undefined });
  if (!driver) throw new Error(`run ${runId} is gone`);
  return driver;
};
const stepOf = (snapshot: Snapshot) => nextStep(snapshot, Date.now());

/** Advances until this kind of step is next; returns the snapshot of the older driver. */
async function advanceTo(driver: DriverContext, runId: string, kind: string): Promise<Snapshot> {
  for (let steps = 0; steps < 50; steps++) {
    const snapshot = await bench.snapshot(runId);
    if (stepOf(snapshot).kind === kind) return snapshot;
    await advance(driver, runId, signal);
  }
  throw new Error(`run ${runId} never came to ${kind}`);
}

const journal = ({ sessions }: Snapshot): string[] =>
  readFileSync(join(sessions[0]?.handle.folder ?? "", "journal.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).dedupKey as string);

async function perform(driver: DriverContext, seen: Snapshot): Promise<void> {
  const step = stepOf(seen);
  if (step.kind === "wait" || step.kind === "end") throw new Error(`nothing to perform: ${step.kind}`);
  await performStep(driver, seen, step, signal);
}

test.each(["lock_bindings", "start_phase", "start_session", "send_prompt", "expect_artifacts"])(
  "an older driver that is about to perform %s records nothing and does nothing",
  async (kind) => {
    const runId = await bench.play({}, { template: "two-drivers" });
    const older = await take(runId);
    const seen = await advanceTo(older, runId, kind);
    const newer = await take(runId);
    const before = await bench.events(runId);
    await expect(perform(older, seen)).rejects.toMatchObject(replaced);
    expect(await bench.events(runId)).toEqual(before);
    expect(await advance(older, runId, signal)).toEqual({ kind: "replaced" });

    const waiting = await advanceTo(newer, runId, "wait");
    expect(waiting.run.state).toBe("awaiting_approval");
    expect(new Set(journal(waiting)).size).toBe(journal(waiting).length);
    expect(journal(waiting)).toHaveLength(1);
  },
);

test("an older driver that has announced its prompt can no longer deliver it", async () => {
  const runId = await bench.play({}, { template: "two-drivers" });
  const older = await take(runId);
  const seen = await advanceTo(older, runId, "send_prompt");
  const newer = await take(runId);
  await advanceTo(newer, runId, "expect_artifacts");
  // As if the intent had been recorded before it was replaced: only the delivery is left.
  const key = journal(await bench.snapshot(runId))[0] ?? "";
  const intended = { ...seen, sessions: seen.sessions.map((one) => ({ ...one, last_prompt_hash: key })) };
  await expect(perform(older, intended)).rejects.toMatchObject(replaced);
  expect(journal(seen)).toEqual([key]);
});

test("an older driver adds nothing to a transcript and ends no session", async () => {
  const runId = await bench.play({}, { template: "two-drivers" });
  const older = await take(runId);
  const seen = await advanceTo(older, runId, "expect_artifacts");
  const newer = await take(runId);
  const [session] = seen.sessions;
  if (!session) throw new Error("no session");
  const chunk = { seq: 1_000_000, content: "late", capturedAt: new Date(), sanitised: false };
  const kept = (epoch: number) =>
    bench.database.asEngine((tx) =>
      keepTranscript(tx, { sessionId: session.id, after: session.last_capture_seq, epoch }, chunk),
    );
  expect(await kept(older.epoch)).toBe(false);
  expect(await kept(newer.epoch)).toBe(true);
  await bench.engine.abortRun(runId, { reason: "enough" }, bench.person);
  await expect(perform(older, await bench.snapshot(runId))).rejects.toMatchObject(replaced);
  expect((await bench.snapshot(runId)).sessions.map((one) => one.state)).not.toContain("DISPOSED");
  await expect(changeAsDriver(older, runId, async () => undefined)).rejects.toMatchObject(replaced);
});

/** An engine as in a server: it sees what others commit, and vice versa. */
async function openEngine() {
  const { database, log } = bench.context;
  const feed = createRunFeed({ database, log });
  const context = {
    ...bench.context,
    onCommitted: (id: string, events: readonly ChainedEvent[]) => feed.committed(id, events),
  };
  const driver = createInlineDriver(context);
  feed.onForeign((id) => driver.nudge(id));
  await feed.start();
  const engine = createRunEngine(context, driver);
  const stop = async () => {
    await engine.stop();
    await feed.stop();
  };
  return { engine, stop };
}

test("of two servers on one database the later drives; a verdict given to the earlier one reaches it", async () => {
  const runId = await bench.play({ plan: { scenario: "ok", delayMs: 400 } }, { template: "two-drivers" });
  const [earlier, later] = [await openEngine(), await openEngine()];
  try {
    await earlier.engine.start();
    await bench.until(runId, ({ phases }) => phases[0]?.state === "awaiting_artifact");
    await later.engine.start();
    const gate = await bench.gate(runId);
    await earlier.engine.decide(gate.id, { verdict: "approve", clientToken: "t" }, bench.person);
    const closed = await bench.until(runId, ({ run }) => run.final_report_path !== null);
    expect([closed.run.state, closed.run.driver_epoch]).toEqual(["completed", 2]);
    expect(journal(closed)).toHaveLength(1);
  } finally {
    await Promise.all([earlier.stop(), later.stop()]);
  }
});
