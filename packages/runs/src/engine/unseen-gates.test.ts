/** A gate decided at another machine than the run's: what was approved is compared where the worktree is. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Verdict } from "@devflow/core/enums";
import { uuidv7 } from "@devflow/core/ids";
import { openEngineBench } from "../../testing/engine-bench.ts";
import { smallTemplate, workPhase } from "../../testing/small-templates.ts";
import { decide } from "./decide.ts";
import { driveAWhile } from "./drive-a-while.ts";

// Nothing drives the runs but the stints of this test.
const nobody = { wake() {}, nudge() {}, async start() {}, async stop() {} };
const bench = await openEngineBench({ host: "theirs", driver: { engine: "temporal", create: () => nobody } });
afterAll(() => bench.close());
beforeAll(async () => {
  await bench.addTemplate(smallTemplate("ship", [{ ...workPhase, gates: ["ship_approved"] }]));
});

/** Until the run waits or ends. */
async function drive(runId: string): Promise<void> {
  const stopping = new AbortController().signal;
  for (let next = "go_on"; next === "go_on"; )
    next = (await driveAWhile(bench.context, runId, { budgetMs: 20_000, stopping, onKin: () => undefined }).after).kind;
}

const decideElsewhere = (approvalId: string, verdict: Verdict, comment?: string) =>
  decide(
    { ...bench.context, host: "ours" },
    approvalId,
    { verdict, clientToken: uuidv7(), ...(comment === undefined ? {} : { comment }) },
    bench.person,
  );

async function atGate() {
  const runId = await bench.play({}, { template: "ship" });
  await drive(runId);
  const { run } = await bench.snapshot(runId);
  return { runId, gate: await bench.gate(runId), worktree: run.worktree_root };
}

function plantCommit(worktree: string, name: string): void {
  writeFileSync(join(worktree, name), "surprise\n");
  const who = ["-c", "user.name=Eve", "-c", "user.email=eve@example.com"];
  execFileSync("git", ["add", name], { cwd: worktree });
  execFileSync("git", [...who, "commit", "-qm", "Nobody asked for this"], { cwd: worktree });
}

test("what the gate showed completes the run", async () => {
  const { runId, gate } = await atGate();
  await decideElsewhere(gate.id, "approve");
  await drive(runId);
  const { run, approvals } = await bench.snapshot(runId);
  expect([run.state, approvals.map((one) => one.payload.unseen)]).toEqual(["completed", [undefined]]);
});

test("a commit that was added meanwhile stops the run at a gate that shows it, as often as it happens", async () => {
  const { runId, gate, worktree } = await atGate();
  plantCommit(worktree, "planted.txt");
  await decideElsewhere(gate.id, "approve");
  await drive(runId);
  const asked = await bench.gate(runId);
  expect(asked).toMatchObject({
    gate_key: "recovery:work_changed",
    payload: {
      reason:
        "the work is not what ship_approved showed when it was approved: planted.txt (added); trying again accepts it",
      added: { commits: [{ author: "Eve" }], files: [{ path: "planted.txt" }] },
    },
  });
  plantCommit(worktree, "another.txt");
  await decideElsewhere(asked.id, "approve");
  await drive(runId);
  const again = await bench.gate(runId);
  expect([again.gate_key, again.id === asked.id]).toEqual(["recovery:work_changed", false]);
  expect(again.payload.added).toMatchObject({ files: [{ path: "another.txt" }] });
  await decideElsewhere(again.id, "approve");
  await drive(runId);
  expect((await bench.snapshot(runId)).run.state).toBe("completed");
});

test("instead of accepting it, changes can be requested", async () => {
  const { runId, gate, worktree } = await atGate();
  plantCommit(worktree, "planted.txt");
  await decideElsewhere(gate.id, "approve");
  await drive(runId);
  await decideElsewhere((await bench.gate(runId)).id, "request_changes", "Remove planted.txt");
  await drive(runId);
  const [, second] = await bench.prompts(runId);
  expect(second).toMatchObject({ phaseKey: workPhase.key, attempt: 2 });
  expect(second?.instructions).toContain("> Remove planted.txt");
  expect((await bench.gate(runId)).gate_key).toBe("ship_approved");
});
