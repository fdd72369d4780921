/**
 * Whole runs with each real agent and a scripted model: what a session alone cannot show. `npm run soak` only, which takes the
 * names of these tests for its table of agents. `bun test … ./packages/runs/tests/real-agents.soak.ts -t Copilot` runs one.
 */
import { describe, expect, test } from "bun:test";
import { fakeAnswer } from "@devflow/session/testing";
import { type ScenarioInput, startScriptedModel } from "@devflow/testkit";
import { openEngineBench } from "../testing/engine-bench.ts";
import { type RealAgent, realAgents } from "../testing/real-agents.ts";
import { planPhase, smallTemplate } from "../testing/small-templates.ts";

const asked = { phaseKey: "plan", roleId: "architect", attempt: 1, findings: [] };
const plan = JSON.stringify(fakeAnswer({ ...asked, expectedSchema: "dev/phase-plan@1" }));
const at = (attempt: number | string) => `/Attempt: ${attempt}\\n[\\s\\S]*Expected artifact: (?<artifact>\\S+)/`;
const says = { match: { toolResult: true }, times: "always", answer: { text: "Planned." } } as const;

async function open({ driven, home }: RealAgent, scenario: ScenarioInput, timeoutMs = 120_000) {
  const model = await startScriptedModel(scenario);
  const bench = await openEngineBench({ env: home(model), agents: [driven], patienceMs: 180_000 });
  await bench.addPersona({
    name: "own-architect",
    version: 1,
    backend: driven.backend,
    capabilities: ["phase_planning"],
    maxRiskLevel: "high",
    promptConfig: {},
    modelConfig: {},
  });
  const template = await bench.addTemplate(
    smallTemplate("real", [{ ...planPhase, timeoutMs }], {
      roles: [{ id: "architect", requiredCapabilities: ["phase_planning"], preferredBackends: [driven.backend] }],
    }),
  );
  /** How often a prompt is in the conversations of the agent, by its id. */
  const counts = () =>
    [
      ...new Set(
        model.requests.flatMap(({ body }) =>
          [...JSON.stringify(body).matchAll(/PROMPT_BEGIN ([0-9a-f-]{36})/g)].map(([, id]) => id),
        ),
      ),
    ].map((id) =>
      Math.max(
        ...model.requests.map(({ body }) => JSON.stringify(body).split(`DEVFLOW_PROMPT_BEGIN ${id}`).length - 1),
      ),
    );
  return {
    bench,
    model,
    template,
    counts,
    async [Symbol.asyncDispose]() {
      await bench.close();
      await model.close();
    },
  };
}

for (const agent of await realAgents()) {
  const { title, write } = agent;
  describe(title, () => {
    test("an invalid file in every attempt: a person is asked, requests changes, and the next attempt completes", async () => {
      const wrong = (attempt: number) => ({
        match: { userText: at(attempt), toolResult: false },
        answer: { tools: [write(`$<artifact>`, `{"attempt":${attempt}}`)] },
      });
      await using used = await open(agent, {
        steps: [
          wrong(1),
          wrong(2),
          { match: { userText: at(3), toolResult: false }, answer: { tools: [write("$<artifact>", plan)] } },
          { ...says, match: {} },
        ],
      });
      const { bench } = used;
      const { runId } = await bench.start({ template: used.template });
      const gate = await bench.gate(runId);
      expect(gate.gate_key).toStartWith("recovery:artifact_");
      await bench.decide(gate.id, "request_changes", "Look at the schema");
      const done = await bench.finish(runId);
      expect([done.run.state, done.phases[0]?.attempts]).toEqual(["completed", 3]);
      expect(used.counts().every((count) => count === 1)).toBe(true);
    }, 240_000);

    test("a turn that takes too long is ended, and the phase is asked for once more", async () => {
      await using used = await open(
        agent,
        {
          steps: [
            { match: { userText: at(1), toolResult: false }, answer: { text: "thinking", hang: true } },
            { match: { userText: at(2), toolResult: false }, answer: { tools: [write("$<artifact>", plan)] } },
            says,
          ],
          otherwise: { text: "Planned." },
        },
        25_000,
      );
      const { bench } = used;
      const { runId } = await bench.start({ template: used.template });
      const done = await bench.finish(runId);
      expect([done.run.state, done.phases[0]?.attempts]).toEqual(["completed", 2]);
      expect(await bench.eventTypes(runId)).toContain("artifact.timeout");
      expect(used.counts()).toEqual([1, 1]);
    }, 240_000);

    test("two runs at once complete, each with its own agent", async () => {
      await using used = await open(agent, {
        each: "conversation",
        steps: [
          {
            match: { userText: at("1"), toolResult: false },
            ...(agent.isAnonymous ? { times: "always" as const } : {}),
            answer: { tools: [write("$<artifact>", plan)], afterMs: 1_000 },
          },
          says,
        ],
      });
      const { bench } = used;
      const started = await Promise.all([1, 2].map(() => bench.start({ template: used.template })));
      const done = await Promise.all(started.map(({ runId }) => bench.finish(runId)));
      expect(done.map(({ run }) => run.state)).toEqual(["completed", "completed"]);
      expect(new Set(done.map(({ sessions }) => sessions[0]?.handle.agentSessionId)).size).toBe(2);
      expect(used.counts()).toEqual([1, 1]);
    }, 240_000);
  });
}
