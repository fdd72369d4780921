/**
 * Recovery, generated from the table of transitions: each one happens in a run with a real agent process, and from each state a
 * new server gets the run to its end, whether the agent lives or not. A transition that no scenario reaches fails.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isTerminalSession, type SessionState } from "@devflow/core/enums";
import { processIdentity } from "@devflow/core/process-proof";
import { sessionTransitions } from "@devflow/session/testing";
import { openEngineBench } from "../../testing/engine-bench.ts";
import { planPhase, reviewPhase, smallTemplate } from "../../testing/small-templates.ts";
import type { Snapshot } from "../engine/snapshot.ts";

const bench = await openEngineBench({ maxConcurrentRuns: 100, timing: { silenceMs: 1_500 } });
afterAll(() => bench.close());

const { admin, context } = bench;
const slow = { scenario: "ok", delayMs: 60_000 } as const;

beforeAll(async () => {
  await bench.addTemplate(smallTemplate("plain", [{ ...planPhase, timeoutMs: 60_000 }]));
  await bench.addTemplate(smallTemplate("hasty", [{ ...planPhase, timeoutMs: 700 }]));
  await bench.addTemplate(smallTemplate("pair", [reviewPhase]));
  await admin`create table public.seen (moved_from text, moved_to text)`;
  await admin.unsafe(`
    create function public.see() returns trigger language plpgsql security definer as $$
    begin insert into public.seen values (old.state, new.state); return null; end $$;
    create trigger seen after update on app.sessions for each row execute function public.see()`);
});

const states = Object.keys(sessionTransitions) as SessionState[];
const transitions = states.flatMap((from) =>
  [...new Set(Object.values(sessionTransitions[from]))].map((to) => `${from} → ${to}`),
);

const play = (step: unknown, template = "plain") => bench.play({ plan: step }, { template });
const pair = (steps: Readonly<Record<string, unknown>>) =>
  bench.play(Object.fromEntries(Object.entries(steps).map(([role, step]) => [`review/${role}`, step])), {
    template: "pair",
  });
const architect = ({ sessions }: Snapshot) => sessions.find((one) => one.role_id === "architect")!;
const atWork = (runId: string) => bench.until(runId, (one) => one.phases[0]?.state === "awaiting_artifact");
const inState = (runId: string, state: SessionState) =>
  bench.until(runId, ({ sessions }) => sessions.some((one) => one.state === state));
/** One that has ended and that this process has not been told of yet does not count. */
const isRunning = (pid: number): boolean => processIdentity(pid) !== undefined;
const killAgent = (now: Snapshot) => process.kill(architect(now).handle.pid as number, "SIGKILL");
const completed = async (runId: string, options = { allow: true }) =>
  expect((await bench.finish(runId, options)).run.state).toBe("completed");

/** A session whose agent works, in this state, while no engine drives it: as a server leaves it that was killed there. */
async function left(state: SessionState, { alive }: { readonly alive: boolean }): Promise<string> {
  // In these states it is not late, silent or dead; it ends its turn by itself.
  const isWell = state === "BOOTSTRAPPING" || state === "READY" || state === "WAITING_FOR_APPROVAL";
  const runId = await play([alive && isWell ? { scenario: "ok", delayMs: 500 } : slow, "ok"]);
  const now = await atWork(runId);
  await bench.engine.stop();
  if (!alive) killAgent(now);
  const fault = { CRASHED: "died", ARTIFACT_TIMEOUT: "artifact_timed_out", HUNG: "went_silent" }[state as string];
  const isRecovering = state === "RESUMING" || state === "REBOOTSTRAPPED";
  await admin.begin(async (tx) => {
    // This move is the test's own, and not one that was seen.
    await tx`set local session_replication_role = replica`;
    await tx`
      update app.sessions set state = ${state}, fault = ${fault ?? (isRecovering ? "died" : null)}
      where id = ${architect(now).id}`;
  });
  return runId;
}

const promptsOf = async (runId: string): Promise<string[]> => {
  const { id } = architect(await bench.snapshot(runId));
  const journal = join(context.workspaceRoot, runId, "sessions", id, "journal.jsonl");
  return readFileSync(journal, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).dedupKey);
};

const folderOf = (now: Snapshot) => architect(now).handle.folder;
const broken = "not a folder";

const scenarios: Readonly<Record<string, () => Promise<unknown>>> = {
  "an agent does its work": async () => completed(await play("ok")),
  "an agent dies": async () => completed(await play(["crash", "ok"])),
  "an agent is late": async () => completed(await play(["timeout", "ok"], "hasty")),
  "an agent falls silent": async () => completed(await play([slow, "ok"])),
  "an agent asks for a permission": async () => completed(await play("permission")),
  "an agent dies while it waits for a permission": async () => {
    const runId = await play(["permission", "ok"]);
    killAgent(await inState(runId, "WAITING_FOR_APPROVAL"));
    await completed(runId);
  },
  "nobody answers in time": async () => {
    const runId = await play(["permission", "ok"], "hasty");
    await inState(runId, "READY");
    await completed(runId, { allow: false });
  },
  "an agent cannot be continued, and a new one takes its place": async () => {
    const runId = await play([slow, "ok"]);
    const now = await atWork(runId);
    rmSync(join(folderOf(now), "inbox"), { recursive: true });
    writeFileSync(join(folderOf(now), "inbox"), broken);
    killAgent(now);
    await completed(runId);
  },
  "a person has a failed phase tried again": async () => completed(await play(["crash", "crash", "ok"])),
  "the same, while another agent of the phase works": async () =>
    completed(await pair({ "reviewer#0": ["crash", "crash", "ok"], "reviewer#1": [slow, slow, "ok"] })),
  "the same, while another agent of the phase waits for a permission": async () => {
    const runId = await pair({
      "reviewer#0": [{ scenario: "crash", delayMs: 300 }, "crash", "ok"],
      "reviewer#1": ["permission", "permission", "ok"],
    });
    await inState(runId, "WAITING_FOR_APPROVAL");
    await completed(runId, { allow: false });
  },
  "no agent can take its place until a person has mended it": async () => {
    const runId = await play([slow, "ok"]);
    const now = await atWork(runId);
    const kept = `${folderOf(now)}-kept`;
    renameSync(folderOf(now), kept);
    writeFileSync(folderOf(now), broken);
    killAgent(now);
    const gate = await bench.gate(runId);
    expect(gate.gate_key).toBe("recovery:session_start_failed");
    rmSync(folderOf(now));
    renameSync(kept, folderOf(now));
    await completed(runId);
  },
};

describe("what happens to a session in a run:", () => {
  for (const [name, scenario] of Object.entries(scenarios)) test(name, scenario);
});

const open = states.filter((one) => !isTerminalSession(one));

describe("left by a killed server", () => {
  for (const state of open)
    for (const alive of [true, false])
      test(`${state}, its agent ${alive ? "alive" : "dead"}: the next server finishes the run and sends no prompt twice`, async () => {
        const runId = await left(state, { alive });
        await bench.restart();
        await completed(runId);
        const keys = await promptsOf(runId);
        expect(keys).toEqual([...new Set(keys)]);
      });

  for (const state of open)
    test(`${state}: the run can be aborted, and no agent is left`, async () => {
      const runId = await left(state, { alive: true });
      await bench.engine.abortRun(runId, { reason: "enough" }, bench.person);
      await bench.restart();
      const now = await bench.until(runId, ({ run }) => run.final_report_path !== null);
      expect([now.run.state, architect(now).state]).toEqual(["aborted", "DISPOSED"]);
      expect(isRunning(architect(now).handle.pid as number)).toBe(false);
    });
});

test("every transition has happened", async () => {
  const seen = await admin<{ moved: string }[]>`
    select distinct moved_from || ' → ' || moved_to as moved from public.seen order by 1`;
  const happened = new Set(seen.map(({ moved }) => moved));
  expect(transitions.filter((one) => !happened.has(one))).toEqual([]);
});
