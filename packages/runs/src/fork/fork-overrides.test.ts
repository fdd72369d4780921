import { expect, test } from "bun:test";
import { smallTemplate, workPhase } from "../../testing/small-templates.ts";
import { Template } from "../templates/index.ts";
import { forkOverrides } from "./fork-overrides.ts";

const template = Template.parse(smallTemplate("small", [workPhase]));
const bound = [
  { instance: "coder", persona: "fake-coder@1", model: "small" },
  { instance: "reviewer#0", persona: "fake-reviewer@1", model: undefined },
  { instance: "reviewer#1", persona: "fake-reviewer-two@1", model: undefined },
];
const kept = {
  coder: { persona: "fake-coder@1", model: "small" },
  "reviewer#0": { persona: "fake-reviewer@1" },
  "reviewer#1": { persona: "fake-reviewer-two@1" },
};

test("roles that nobody names keep their persona and model", () => {
  expect(forkOverrides(template, bound, {})).toEqual(kept);
});

test("another model leaves the persona, another persona or backend brings its own model", () => {
  expect(forkOverrides(template, bound, { coder: { model: "large" } })).toEqual({
    ...kept,
    coder: { persona: "fake-coder@1", model: "large" },
  });
  expect(forkOverrides(template, bound, { coder: { persona: "other@2" } })).toEqual({
    ...kept,
    coder: { persona: "other@2" },
  });
  expect(forkOverrides(template, bound, { coder: { backend: "codex" } })).toEqual({
    ...kept,
    coder: { backend: "codex" },
  });
});

test("a role means all of its instances, and an instance wins over its role", () => {
  const wanted = { reviewer: { backend: "codex" }, "reviewer#1": { persona: "mine@1" } };
  expect(forkOverrides(template, bound, wanted)).toEqual({
    ...kept,
    "reviewer#0": { backend: "codex" },
    "reviewer#1": { persona: "mine@1" },
  });
});

test("an unknown role stays, so that binding can refuse it by name", () => {
  expect(forkOverrides(template, bound, { typist: { backend: "codex" } })).toEqual({
    ...kept,
    typist: { backend: "codex" },
  });
});

test("a run that ended before its roles were bound leaves the choice to binding", () => {
  expect(forkOverrides(template, [], {})).toEqual({});
});
