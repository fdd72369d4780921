/**
 * A run on the demo repository with fake agents: to its first gate, or, with `complete`, through all gates to its report. A
 * demo run that still waits at a gate is continued instead of starting another.
 */
import { dirname, join } from "node:path";
import { systemClock } from "@devflow/core/clock";
import type { CommandContext } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { uuidv7 } from "@devflow/core/ids";
import { DecisionAnswer, RunDetail, RunList, RunStarted, VerifyAnswer } from "@devflow/protocol";
import { counted } from "../data/amounts.ts";
import type { RunsClient } from "../run/runs-client.ts";
import { hasEnded, openGates, shortId } from "../run/words.ts";

export interface DemoRun {
  readonly id: string;
  readonly state: RunDetail["state"];
  /** What it asks now. */
  readonly gate: string | null;
  readonly report: string | null;
  readonly summary: string;
}

interface DemoRunOptions {
  readonly repository: string;
  readonly complete: boolean;
  readonly context: Pick<CommandContext, "output" | "signal">;
}

const patienceMs = 120_000;
const lookEveryMs = 100;

export async function demoRun(client: RunsClient, options: DemoRunOptions): Promise<DemoRun> {
  const { repository, complete, context } = options;
  context.output.note("Running development-fake@1 …");
  const id = await startOrFind(client, repository);
  for (;;) {
    const run = await until(client, id, (one) => openGates(one).length > 0 || isClosed(one), context.signal);
    const [gate] = openGates(run);
    if (!gate) return await ended(client, run);
    if (!complete) return asking(run, gate.gate);
    context.output.note(`Approving ${gate.gate.replaceAll("_", " ")} …`);
    const body = { verdict: "approve", comment: "demo", clientToken: uuidv7() };
    await client.post(`/api/approvals/${gate.id}/decisions`, body, DecisionAnswer);
  }
}

/** The run has ended when the report exists. */
const isClosed = (run: RunDetail): boolean => hasEnded(run) && run.hasReport;

async function startOrFind(client: RunsClient, repository: string): Promise<string> {
  const query = new URLSearchParams({ state: "active", repo: repository, limit: "1" });
  const { runs } = await client.get(`/api/runs?${query}`, RunList);
  if (runs[0]) return runs[0].id;
  const body = {
    template: "development-fake@1",
    repository,
    title: "Greet in several languages",
    requirements: "The greeting takes a language and falls back to English.",
    queue: true,
    clientToken: uuidv7(),
  };
  return (await client.post("/api/runs", body, RunStarted)).runId;
}

async function until(
  client: RunsClient,
  id: string,
  fits: (run: RunDetail) => boolean,
  signal: AbortSignal,
): Promise<RunDetail> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const run = await client.get(`/api/runs/${id}`, RunDetail);
    if (fits(run) || run.state === "paused") return run;
    if (Date.now() > deadline) {
      const problem = `The demo run ${shortId(id)} is still ${run.state} after ${patienceMs / 1000} s.`;
      throw new DevflowError("conflict", { details: { problem, next: `See it: devflow run show ${shortId(id)}` } });
    }
    await systemClock.sleep(lookEveryMs, signal);
  }
}

function asking(run: RunDetail, gate: string): DemoRun {
  const id = shortId(run.id);
  const summary = [
    `  Run   “${run.title}” asks: ${gate.replaceAll("_", " ")}?`,
    `        web app:  open the link, then Approvals`,
    `        terminal: devflow run approve ${id}   then: devflow run watch ${id}`,
  ];
  return { id: run.id, state: run.state, gate, report: null, summary: summary.join("\n") };
}

async function ended(client: RunsClient, run: RunDetail): Promise<DemoRun> {
  const report = join(dirname(run.worktree), `${run.id}.report.md`);
  const { ok } = await client.post(`/api/runs/${run.id}/verify`, {}, VerifyAnswer);
  const done = run.phases.filter((phase) => phase.state === "completed").length;
  const proof = ok ? "verified" : "NOT verified";
  const summary = [
    `  Run   “${run.title}” ${run.state}: ${counted(done, "phase")}, ${counted(run.eventSeq, "event")}, ${proof}`,
    `        report ${report}`,
  ];
  return {
    id: run.id,
    state: run.state,
    gate: null,
    report: run.hasReport ? report : null,
    summary: summary.join("\n"),
  };
}
