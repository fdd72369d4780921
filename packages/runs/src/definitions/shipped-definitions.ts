/**
 * The templates and personas that Devflow ships, compiled in as text. A test compares these lists with the folders.
 * To add one: add the file and its lines here. A released one never changes; it gets a new version.
 */
import claudeArchitect1 from "../../../../schemas/personas/claude-architect@1.yaml" with { type: "text" };
import claudeArchitect2 from "../../../../schemas/personas/claude-architect@2.yaml" with { type: "text" };
import claudeCoder1 from "../../../../schemas/personas/claude-coder@1.yaml" with { type: "text" };
import claudeCoder2 from "../../../../schemas/personas/claude-coder@2.yaml" with { type: "text" };
import claudeReviewer1 from "../../../../schemas/personas/claude-reviewer@1.yaml" with { type: "text" };
import claudeReviewer2 from "../../../../schemas/personas/claude-reviewer@2.yaml" with { type: "text" };
import claudeVerifier1 from "../../../../schemas/personas/claude-verifier@1.yaml" with { type: "text" };
import claudeVerifier2 from "../../../../schemas/personas/claude-verifier@2.yaml" with { type: "text" };
import codexArchitect1 from "../../../../schemas/personas/codex-architect@1.yaml" with { type: "text" };
import codexArchitect2 from "../../../../schemas/personas/codex-architect@2.yaml" with { type: "text" };
import codexCoder1 from "../../../../schemas/personas/codex-coder@1.yaml" with { type: "text" };
import codexCoder2 from "../../../../schemas/personas/codex-coder@2.yaml" with { type: "text" };
import codexReviewer1 from "../../../../schemas/personas/codex-reviewer@1.yaml" with { type: "text" };
import codexReviewer2 from "../../../../schemas/personas/codex-reviewer@2.yaml" with { type: "text" };
import codexVerifier1 from "../../../../schemas/personas/codex-verifier@1.yaml" with { type: "text" };
import codexVerifier2 from "../../../../schemas/personas/codex-verifier@2.yaml" with { type: "text" };
import fakeArchitect1 from "../../../../schemas/personas/fake-architect@1.yaml" with { type: "text" };
import fakeCoder1 from "../../../../schemas/personas/fake-coder@1.yaml" with { type: "text" };
import fakeReviewer1 from "../../../../schemas/personas/fake-reviewer@1.yaml" with { type: "text" };
import fakeReviewerTwo1 from "../../../../schemas/personas/fake-reviewer-two@1.yaml" with { type: "text" };
import fakeVerifier1 from "../../../../schemas/personas/fake-verifier@1.yaml" with { type: "text" };
import bugfix1 from "../../../../schemas/templates/bugfix@1.yaml" with { type: "text" };
import bugfix2 from "../../../../schemas/templates/bugfix@2.yaml" with { type: "text" };
import development1 from "../../../../schemas/templates/development@1.yaml" with { type: "text" };
import development2 from "../../../../schemas/templates/development@2.yaml" with { type: "text" };
import developmentFake1 from "../../../../schemas/templates/development-fake@1.yaml" with { type: "text" };
import developmentLane1 from "../../../../schemas/templates/development-lane@1.yaml" with { type: "text" };
import developmentLaneFake1 from "../../../../schemas/templates/development-lane-fake@1.yaml" with { type: "text" };
import developmentParallel1 from "../../../../schemas/templates/development-parallel@1.yaml" with { type: "text" };
import developmentParallelFake1 from "../../../../schemas/templates/development-parallel-fake@1.yaml" with {
  type: "text",
};

export const shippedTemplates: Readonly<Record<string, string>> = {
  "bugfix@1.yaml": bugfix1,
  "bugfix@2.yaml": bugfix2,
  "development-fake@1.yaml": developmentFake1,
  "development-lane@1.yaml": developmentLane1,
  "development-lane-fake@1.yaml": developmentLaneFake1,
  "development-parallel@1.yaml": developmentParallel1,
  "development-parallel-fake@1.yaml": developmentParallelFake1,
  "development@1.yaml": development1,
  "development@2.yaml": development2,
};

export const shippedPersonas: Readonly<Record<string, string>> = {
  "claude-architect@1.yaml": claudeArchitect1,
  "claude-architect@2.yaml": claudeArchitect2,
  "claude-coder@1.yaml": claudeCoder1,
  "claude-coder@2.yaml": claudeCoder2,
  "claude-reviewer@1.yaml": claudeReviewer1,
  "claude-reviewer@2.yaml": claudeReviewer2,
  "claude-verifier@1.yaml": claudeVerifier1,
  "claude-verifier@2.yaml": claudeVerifier2,
  "codex-architect@1.yaml": codexArchitect1,
  "codex-architect@2.yaml": codexArchitect2,
  "codex-coder@1.yaml": codexCoder1,
  "codex-coder@2.yaml": codexCoder2,
  "codex-reviewer@1.yaml": codexReviewer1,
  "codex-reviewer@2.yaml": codexReviewer2,
  "codex-verifier@1.yaml": codexVerifier1,
  "codex-verifier@2.yaml": codexVerifier2,
  "fake-architect@1.yaml": fakeArchitect1,
  "fake-coder@1.yaml": fakeCoder1,
  "fake-reviewer-two@1.yaml": fakeReviewerTwo1,
  "fake-reviewer@1.yaml": fakeReviewer1,
  "fake-verifier@1.yaml": fakeVerifier1,
};
