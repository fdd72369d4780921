/**
 * Kill -9 of the engine while a real agent works, with a scripted model: `npm run soak` only, which takes the names of these
 * tests for its table of agents. `bun test … ./tests/chaos/real-agents.soak.ts -t Copilot` runs one.
 *
 * Each agent's run is killed at all of its points, one after the other. Where a start is quick, a run of its own is killed at
 * each point besides.
 */
import { afterAll, describe, expect, test } from "bun:test";
import { realAgents } from "@devflow/runs/testing";
import { fakeAnswer } from "@devflow/session/testing";
import { startScriptedModel } from "@devflow/testkit";
import { openMatrix } from "./matrix.ts";

const path = "real agent";
const asked = { phaseKey: "plan", roleId: "architect", attempt: 1, findings: [] };
const plan = JSON.stringify(fakeAnswer({ ...asked, expectedSchema: "dev/phase-plan@1" }));

for (const { title, isQuick, isAnonymous, driven, home, write } of await realAgents()) {
  const model = await startScriptedModel({
    each: "conversation",
    steps: [
      {
        match: { userText: "/Expected artifact: (?<artifact>\\S+)/", toolResult: false },
        ...(isAnonymous ? { times: "always" as const } : {}),
        // Long enough at work for a kill and a start.
        answer: { tools: [write("$<artifact>", plan)], afterMs: 500 },
      },
      { match: { toolResult: true }, times: "always", answer: { text: "Planned.", afterMs: 500 } },
    ],
  });
  const matrix = await openMatrix({ agent: driven, env: home(model) });
  afterAll(async () => {
    await matrix.close();
    await model.close();
  });
  const points = [...(await matrix.visits(path)).keys()];

  describe(title, () => {
    test("Devflow killed at every point of a run, one after the other: it ends as undisturbed", async () => {
      // An agent may report its usage while nobody listens; then these points come earlier than here.
      const steady = points.filter((one) => !one.endsWith("_usage_recorded"));
      const { kills, faults } = await matrix.gauntlet(path, steady);
      expect({ faults, kills }).toEqual({ faults: [], kills: steady.length });
    }, 1_200_000);

    for (const point of isQuick ? points : [])
      test(`Devflow killed at \`${point}\`: the run ends as undisturbed`, async () => {
        expect(await matrix.cell(path, point, 1)).toEqual([]);
      }, 240_000);
  });
}
