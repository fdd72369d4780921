/**
 * Real agents for a benchmark, with a scripted model that answers at once: the same turns with Devflow and without.
 *
 * - `prepareAgents()` the agents, their model, and the environment in which they use it.
 * - `agentServer(context, agents, options)` the compiled executable with these agents; `run(backend, turns)` goes through a run
 *   with so many turns and returns its events.
 * - `askedFor(path)` a message that makes the model write this file, as an envelope does.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { initRepository } from "@devflow/git";
import { RunDetail, RunEventList, type RunEventView, RunStarted, type RunStartRequest } from "@devflow/protocol";
import { fakeAnswer } from "@devflow/session/testing";
import {
  agentsOrSkip,
  claudeHome,
  codexHome,
  type InstalledAgents,
  type ScriptedModel,
  startScriptedModel,
} from "@devflow/testkit";
import type { BenchmarkContext } from "../benchmark.ts";
import { type LocalServer, prepareServer } from "../local-server.ts";

export const backends = ["claude", "codex"] as const;
export type BenchBackend = (typeof backends)[number];

export interface BenchAgents {
  readonly installed: InstalledAgents;
  readonly model: ScriptedModel;
  readonly env: Record<string, string>;
  remove(): Promise<void>;
}

const asked = { phaseKey: "plan", roleId: "architect", attempt: 1, findings: [] };
const plan = JSON.stringify(fakeAnswer({ ...asked, expectedSchema: "dev/phase-plan@1" }));
const anEnvelope = "/Expected artifact: (?<artifact>\\S+)/";

export const askedFor = (path: string): string => `Plan it.\nExpected artifact: ${path}`;

const writes = {
  claude: { name: "Write", arguments: { file_path: "$<artifact>", content: plan } },
  codex: { name: "exec_command", arguments: { cmd: `cat > $<artifact> <<'EOF'\n${plan}\nEOF` } },
} as const;

/** `workMs`: how long the model takes until it writes, in pieces of text. */
export async function prepareAgents({ workMs = 0 } = {}): Promise<BenchAgents> {
  const installed = await agentsOrSkip();
  if (!installed) throw new Error("this benchmark needs Claude Code and Codex; npm installs them when it is connected");
  const pieces = Array.from({ length: workMs / 500 }, (_, index) => ({ text: `Step ${index}.\n`, afterMs: 500 }));
  const session = (backend: BenchBackend, protocol: "anthropic" | "responses") => ({
    match: { protocol, userText: anEnvelope, toolResult: false },
    times: "always" as const,
    answer: { tools: [writes[backend]], ...(pieces.length > 0 ? { text: pieces } : {}) },
  });
  const model = await startScriptedModel({
    steps: [session("claude", "anthropic"), session("codex", "responses")],
    otherwise: { text: "Done." },
  });
  const [claude, codex] = [claudeHome({ model }), codexHome({ model })];
  const env = {
    ...codex.env,
    ...claude.env,
    PATH: [installed.claude.binFolder, installed.codex.binFolder, process.env.PATH].join(":"),
  };
  return {
    installed,
    model,
    env,
    async remove() {
      await model.close();
      for (const { home } of [claude, codex]) home.remove();
      rmSync(codex.env.CODEX_HOME ?? "", { recursive: true, force: true });
    },
  };
}

export interface AgentServer extends LocalServer {
  start(backend: BenchBackend, turns: number): Promise<string>;
  /** Resolves when the run has ended; one that did not complete is an error. */
  ended(runId: string): Promise<void>;
  events(runId: string): Promise<readonly RunEventView[]>;
}

export async function agentServer(
  context: Pick<BenchmarkContext, "root">,
  { env }: BenchAgents,
  { agentsIn }: { readonly agentsIn: "pipes" | "tmux" },
): Promise<AgentServer> {
  const folder = mkdtempSync(join(tmpdir(), "dfr-"));
  const repository = join(folder, "repository");
  await initRepository(repository, { files: { "README.md": "# Demo\n" }, message: "Start", env });
  const server = await prepareServer(context, {
    ...env,
    DEVFLOW_AGENTS_IN: agentsIn,
    DEVFLOW_MAX_CONCURRENT_RUNS: "20",
    DEVFLOW_PASS_ENVIRONMENT: "SCRIPTED_MODEL_KEY",
  });
  const templates = join(server.home, "templates");
  mkdirSync(templates, { recursive: true, mode: 0o700 });
  for (const backend of backends)
    for (const turns of [1, 6])
      writeFileSync(join(templates, `turns-${backend}-${turns}@1.yaml`), template(backend, turns));
  server.up();
  return {
    ...server,
    async start(backend, turns) {
      const body: RunStartRequest = {
        template: `turns-${backend}-${turns}@1`,
        repository,
        requirements: "Plan it",
        clientToken: crypto.randomUUID(),
      };
      const answer = await server.request("/api/runs", body);
      if (!answer.ok) throw new Error(`the run did not start: ${await answer.text()}`);
      return RunStarted.parse(await answer.json()).runId;
    },
    async ended(runId) {
      for (;;) {
        const run = RunDetail.parse(await (await server.request(`/api/runs/${runId}`)).json());
        if (run.state === "completed" && run.hasReport) return;
        if (["failed", "aborted", "paused", "awaiting_approval"].includes(run.state))
          throw new Error(`run ${runId} is ${run.state}: ${run.failureReason ?? run.approvals.at(-1)?.gate}`);
        await Bun.sleep(100);
      }
    },
    async events(runId) {
      const answer = await server.request(`/api/runs/${runId}/events?limit=1000`);
      return RunEventList.parse(await answer.json()).events;
    },
    remove() {
      server.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function template(backend: BenchBackend, turns: number): string {
  const phases = Array.from({ length: turns }, (_, index) => [
    `  - key: plan_${index}`,
    "    kind: planning",
    `    title: Plan ${index}`,
    "    risk: low",
    "    roles: [architect]",
    `    expectedArtifact: { path: plan-${index}.json, schema: dev/phase-plan@1 }`,
    "    instructions: Plan it.",
  ]);
  return [
    `name: turns-${backend}-${turns}`,
    "version: 1",
    "roles:",
    `  - { id: architect, requiredCapabilities: [phase_planning], preferredBackends: [${backend}] }`,
    "phases:",
    ...phases.flat(),
    "",
  ].join("\n");
}
