/** Templates of one or two phases, for tests of one thing. */
import type { z } from "zod";
import type { Template, TemplatePhase } from "../src/templates/index.ts";

type PhaseInput = z.input<typeof TemplatePhase>;

export const planPhase: PhaseInput = {
  key: "plan",
  kind: "planning",
  title: "Plan",
  risk: "low",
  roles: ["architect"],
  expectedArtifact: { path: "plan.json", schema: "dev/phase-plan@1" },
  instructions: "Plan it.",
};

export const workPhase: PhaseInput = {
  key: "implement",
  kind: "work",
  title: "Implement",
  risk: "low",
  roles: ["coder"],
  expectedArtifact: { path: "change.json", schema: "dev/change-report@1" },
  instructions: "Do it.",
};

export const reviewPhase: PhaseInput = {
  key: "review",
  kind: "review",
  title: "Review",
  risk: "low",
  roles: ["reviewer"],
  expectedArtifact: { path: "review-{role}.json", schema: "dev/review-finding-batch@1" },
  instructions: "Review it.",
};

export function smallTemplate(
  name: string,
  phases: readonly PhaseInput[],
  rest: Partial<z.input<typeof Template>> = {},
): z.input<typeof Template> {
  return {
    name,
    version: 1,
    roles: [
      { id: "architect", requiredCapabilities: ["phase_planning"], preferredBackends: ["fake"] },
      { id: "coder", requiredCapabilities: ["code_edit"], preferredBackends: ["fake"] },
      { id: "reviewer", requiredCapabilities: ["code_review"], preferredBackends: ["fake"], count: 2 },
      { id: "verifier", requiredCapabilities: ["evidence_check"], preferredBackends: ["fake"] },
    ],
    phases: [...phases],
    ...rest,
  };
}
