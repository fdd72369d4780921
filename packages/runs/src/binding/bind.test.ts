import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { shippedDefinitions } from "../definitions/registry.ts";
import { Persona, personaId } from "../personas/persona.ts";
import { Template } from "../templates/index.ts";
import { type BindInput, type BindResult, bindRoles } from "./bind.ts";

const all = { codex: { available: true }, claude: { available: true }, fake: { available: true } };

function persona(name: string, more: Record<string, unknown> = {}): Persona {
  return Persona.parse({
    name,
    version: 1,
    backend: name.split("-")[0],
    capabilities: ["code_edit", "code_review"],
    maxRiskLevel: "medium",
    ...more,
  });
}

function template(roles: Record<string, unknown>[], phases: Record<string, unknown>[] = []): Template {
  const used = roles.map(({ id }) => ({
    key: `p_${id}`,
    kind: "work",
    title: "x",
    risk: "low",
    roles: [id],
    expectedArtifact: { path: `${id}.json`, schema: "dev/spec@1" },
    instructions: "x",
  }));
  return Template.parse({
    name: "t",
    version: 1,
    roles: roles.map((role) => ({ requiredCapabilities: ["code_edit"], ...role })),
    phases: [...used, ...phases],
  });
}

function bind(input: Partial<BindInput> & Pick<BindInput, "template" | "personas">): BindResult {
  return bindRoles({ overrides: {}, backends: all, ...input });
}

const chosen = (result: BindResult) =>
  result.ok ? Object.fromEntries(result.bindings.map((one) => [one.instance, personaId(one.persona)])) : result.code;

const whyNot = (result: BindResult, instance: string) =>
  Object.fromEntries(
    result.explanations.find((one) => one.instance === instance)?.others.map((one) => [one.persona, one.why]) ?? [],
  );

describe("who is chosen", () => {
  test("the first preferred backend, then the newest version, then the name", () => {
    const personas = [
      persona("claude-b"),
      persona("claude-b", { version: 3 }),
      persona("claude-a", { version: 3 }),
      persona("codex-z", { version: 9 }),
    ];
    const one = template([{ id: "coder", preferredBackends: ["claude", "codex"] }]);
    const result = bind({ template: one, personas });
    expect(chosen(result)).toEqual({ coder: "claude-a@3" });
    expect(result.explanations).toEqual([
      {
        instance: "coder",
        chosen: "claude-a@3",
        why: "first in order of preference",
        others: [
          { persona: "claude-b@3", why: "eligible, but later in order" },
          { persona: "claude-b@1", why: "eligible, but later in order" },
          { persona: "codex-z@9", why: "eligible, but later in order" },
        ],
      },
    ]);
  });

  test("without preference, all real backends are equal", () => {
    const personas = [persona("codex-b", { version: 2 }), persona("claude-a")];
    expect(chosen(bind({ template: template([{ id: "coder" }]), personas }))).toEqual({ coder: "codex-b@2" });
  });

  test("a backend that is not preferred plays only when no preferred persona can", () => {
    const one = template([{ id: "coder", preferredBackends: ["claude"] }]);
    const able = bind({ template: one, personas: [persona("codex-a", { version: 9 }), persona("claude-a")] });
    expect(chosen(able)).toEqual({ coder: "claude-a@1" });
    expect(whyNot(able, "coder")).toEqual({ "codex-a@9": "backend codex is not preferred by the role" });
    const unable = bind({
      template: one,
      personas: [persona("codex-a"), persona("claude-a", { capabilities: ["code_review"] })],
    });
    expect(chosen(unable)).toEqual({ coder: "codex-a@1" });
    expect(whyNot(unable, "coder")).toEqual({ "claude-a@1": "lacks code_edit" });
  });

  test("missing capabilities, risk above the limit and a disallowed role are reported for each persona", () => {
    const risky = {
      key: "deploy",
      kind: "work",
      title: "x",
      risk: "high",
      roles: ["coder"],
      expectedArtifact: { path: "d.json", schema: "dev/spec@1" },
    };
    const one = template([{ id: "coder", requiredCapabilities: ["code_edit", "backtest_run"] }], [risky]);
    const able = { capabilities: ["code_edit", "backtest_run"], maxRiskLevel: "high" };
    const result = bind({
      template: one,
      personas: [
        persona("claude-careful", { ...able, maxRiskLevel: "medium" }),
        persona("claude-other", { ...able, allowedRoles: ["reviewer"] }),
        persona("claude-plain", { maxRiskLevel: "high", capabilities: [] }),
      ],
    });
    expect(result).toMatchObject({
      ok: false,
      code: "no_eligible_persona",
      reason: "role coder: no persona satisfies the role",
    });
    expect(whyNot(result, "coder")).toEqual({
      "claude-careful@1": "phase deploy has risk high, above its limit medium",
      "claude-other@1": "the persona does not allow this role",
      "claude-plain@1": "lacks code_edit, backtest_run",
    });
    expect(chosen(bind({ template: one, personas: [persona("claude-able", able)] }))).toEqual({
      coder: "claude-able@1",
    });
  });

  test("the risk of a phase that names one instance counts for the role", () => {
    const risky = {
      key: "deploy",
      kind: "work",
      title: "x",
      risk: "high",
      roles: ["coder#1"],
      expectedArtifact: { path: "d.json", schema: "dev/spec@1" },
    };
    const one = template([{ id: "coder", count: 2 }], [risky]);
    expect(chosen(bind({ template: one, personas: [persona("claude-a")] }))).toBe("no_eligible_persona");
  });
});

describe("several instances", () => {
  test("are numbered, and a single one keeps the plain name", () => {
    const one = template([{ id: "coder" }, { id: "reviewer", count: 3 }]);
    expect(Object.keys(chosen(bind({ template: one, personas: [persona("claude-a")] })))).toEqual([
      "coder",
      "reviewer#0",
      "reviewer#1",
      "reviewer#2",
    ]);
  });

  const diverse = {
    id: "reviewer",
    count: 2,
    preferredBackends: ["codex", "claude"],
    diversity: { requireDifferentBackends: true },
  };

  test("get different backends if the template requires it", () => {
    const personas = [persona("claude-a"), persona("codex-a"), persona("codex-b")];
    const result = bind({ template: template([diverse]), personas });
    expect(chosen(result)).toEqual({ "reviewer#0": "codex-a@1", "reviewer#1": "claude-a@1" });
    expect(result.explanations[1]).toEqual({
      instance: "reviewer#1",
      chosen: "claude-a@1",
      why: "first in order that keeps the backends different",
      others: [
        { persona: "codex-a@1", why: "its backend codex is taken by another instance" },
        { persona: "codex-b@1", why: "its backend codex is taken by another instance" },
      ],
    });
  });

  test("the first instance gives up its first choice when it is the second one's only choice", () => {
    const personas = [persona("claude-a"), persona("codex-a")];
    const overrides = { "reviewer#1": { backend: "codex" } } as const;
    const result = bind({ template: template([diverse]), personas, overrides });
    expect(chosen(result)).toEqual({ "reviewer#0": "claude-a@1", "reviewer#1": "codex-a@1" });
    expect(whyNot(result, "reviewer#0")).toEqual({ "codex-a@1": "its backend codex is taken by another instance" });
  });

  test("cannot differ when all personas have one backend", () => {
    const result = bind({ template: template([diverse]), personas: [persona("codex-a"), persona("codex-b")] });
    expect(result).toMatchObject({ ok: false, code: "diversity_unsatisfied" });
    expect(whyNot(result, "reviewer#1")).toEqual({
      "codex-a@1": "eligible, on codex",
      "codex-b@1": "eligible, on codex",
    });
  });

  test("a backend that is missing here is named as the reason", () => {
    const backends = { ...all, claude: { available: false, reason: "no claude on PATH" } };
    const result = bind({
      template: template([diverse]),
      personas: [persona("codex-a"), persona("claude-a")],
      backends,
    });
    expect(result).toMatchObject({ ok: false, code: "backend_unavailable" });
    expect(!result.ok && result.reason).toEndWith("backend claude is not available (no claude on PATH)");
  });
});

describe("an unavailable backend", () => {
  const backends = { ...all, claude: { available: false, reason: "disabled" } };
  const one = template([{ id: "coder", preferredBackends: ["claude", "codex"] }]);

  test("is an error, with a workaround", () => {
    const result = bind({ template: one, personas: [persona("claude-a"), persona("codex-a")], backends });
    expect(result).toMatchObject({
      ok: false,
      code: "backend_unavailable",
      reason: "role coder: backend claude is not available (disabled); to use another one: --override coder=codex-a@1",
    });
    expect(whyNot(result, "coder")).toEqual({
      "claude-a@1": "backend claude is not available (disabled)",
      "codex-a@1": "eligible, but later in order",
    });
  });

  test("does not matter when another one is the first choice", () => {
    const codexFirst = template([{ id: "coder", preferredBackends: ["codex", "claude"] }]);
    const result = bind({ template: codexFirst, personas: [persona("claude-a"), persona("codex-a")], backends });
    expect(chosen(result)).toEqual({ coder: "codex-a@1" });
    expect(whyNot(result, "coder")).toEqual({ "claude-a@1": "backend claude is not available (disabled)" });
  });
});

describe("fake personas", () => {
  const personas = [persona("fake-a", { version: 9 }), persona("claude-a")];

  test("are never chosen automatically", () => {
    const result = bind({ template: template([{ id: "coder" }]), personas });
    expect(chosen(result)).toEqual({ coder: "claude-a@1" });
    expect(whyNot(result, "coder")).toEqual({ "fake-a@9": "fake personas are only for demos and tests" });
    const alone = bind({ template: template([{ id: "coder" }]), personas: [persona("fake-a")] });
    expect(chosen(alone)).toBe("no_eligible_persona");
  });

  test("are chosen where the role prefers them, the caller allows them, or an override asks for them", () => {
    const prefers = template([{ id: "coder", preferredBackends: ["fake"] }]);
    const plain = template([{ id: "coder" }]);
    expect(chosen(bind({ template: prefers, personas }))).toEqual({ coder: "fake-a@9" });
    expect(chosen(bind({ template: plain, personas, allowFake: true }))).toEqual({ coder: "fake-a@9" });
    expect(chosen(bind({ template: plain, personas, overrides: { coder: { backend: "fake" } } }))).toEqual({
      coder: "fake-a@9",
    });
    expect(chosen(bind({ template: plain, personas, overrides: { coder: { persona: "fake-a@9" } } }))).toEqual({
      coder: "fake-a@9",
    });
  });
});

describe("an override", () => {
  const personas = [persona("claude-a"), persona("claude-b"), persona("codex-a", { capabilities: ["code_review"] })];
  const two = template([{ id: "coder", count: 2 }]);

  test("names a persona for a role, and the one for an instance wins", () => {
    const overrides = { coder: { persona: "claude-b@1" }, "coder#1": { persona: "claude-a@1" } };
    const result = bind({ template: two, personas, overrides });
    expect(chosen(result)).toEqual({ "coder#0": "claude-b@1", "coder#1": "claude-a@1" });
    expect(result.explanations[0]).toEqual({
      instance: "coder#0",
      chosen: "claude-b@1",
      why: "named by the override",
      others: [
        { persona: "claude-a@1", why: "the override names claude-b@1" },
        { persona: "codex-a@1", why: "the override names claude-b@1" },
      ],
    });
    expect(result.ok && result.bindings.map((one) => one.override)).toEqual([
      { persona: "claude-b@1" },
      { persona: "claude-a@1" },
    ]);
  });

  test.each([
    [{ reviewer: {} }, 'there is no role "reviewer" to override'],
    [{ "coder#2": {} }, 'there is no role "coder#2" to override'],
    [{ coder: { persona: "claude-z@1" } }, "role coder#0: there is no persona claude-z@1"],
    [{ coder: { persona: "claude-a@2" } }, "role coder#0: there is no persona claude-a@2"],
    [
      { coder: { persona: "claude-a@1", backend: "codex" as const } },
      "role coder#0: claude-a@1 runs on claude, not on codex",
    ],
    [{ coder: { persona: "codex-a@1" } }, "role coder#0: codex-a@1 cannot play it: lacks code_edit"],
  ])("%j is refused with its reason", (overrides, reason) => {
    expect(bind({ template: two, personas, overrides })).toMatchObject({ ok: false, code: "override_invalid", reason });
  });

  test("adds no capability and raises no limit through a backend either", () => {
    expect(chosen(bind({ template: two, personas, overrides: { coder: { backend: "codex" } } }))).toBe(
      "no_eligible_persona",
    );
  });

  test("does not make an unavailable backend available", () => {
    const backends = { ...all, claude: { available: false, reason: "disabled" } };
    const overrides = { coder: { persona: "claude-a@1" } };
    expect(chosen(bind({ template: two, personas, overrides, backends }))).toBe("backend_unavailable");
  });

  test("backends still differ afterwards", () => {
    const one = template([{ id: "coder", count: 2, diversity: { requireDifferentBackends: true } }]);
    const overrides = { coder: { persona: "claude-a@1" } };
    expect(chosen(bind({ template: one, personas, overrides }))).toBe("diversity_unsatisfied");
  });

  test("a role named like an inherited object member has no override by accident", () => {
    const one = template([{ id: "constructor" }]);
    const result = bind({ template: one, personas });
    expect(result.ok && result.bindings[0]?.override).toBeNull();
  });
});

test("the order of the personas changes nothing, and each is explained for each instance", () => {
  const pool = ["claude-a", "claude-b", "codex-a", "codex-b", "fake-a"].flatMap((name) => [
    persona(name),
    persona(name, { version: 2, capabilities: name.endsWith("b") ? [] : ["code_edit"] }),
  ]);
  const one = template([
    { id: "coder", preferredBackends: ["claude"] },
    { id: "reviewer", count: 2, diversity: { requireDifferentBackends: true } },
  ]);
  fc.assert(
    fc.property(
      fc.shuffledSubarray(pool, { minLength: 0 }),
      fc.boolean(),
      fc.boolean(),
      (personas, allowFake, isClaudeThere) => {
        const backends = { ...all, claude: { available: isClaudeThere, reason: "disabled" } };
        const sorted = [...personas].sort((a, b) => (personaId(a) < personaId(b) ? -1 : 1));
        const result = bind({ template: one, personas, allowFake, backends });
        expect(result).toEqual(bind({ template: one, personas: sorted, allowFake, backends }));
        for (const { chosen: name, others } of result.explanations) {
          const explained = [...(name ? [name] : []), ...others.map((other) => other.persona)];
          expect(explained.sort()).toEqual(sorted.map(personaId).sort());
        }
      },
    ),
  );
}, 120_000);

describe("the shipped definitions", () => {
  const { templates, personas } = shippedDefinitions();
  const named = (id: string) => templates.find((one) => one.id === id)?.value as Template;
  const values = personas.map((one) => one.value);

  test("development@1 is played by Claude and Codex, with a reviewer of each", () => {
    expect(chosen(bind({ template: named("development@1"), personas: values }))).toEqual({
      architect: "claude-architect@2",
      coder: "claude-coder@2",
      "reviewer#0": "codex-reviewer@2",
      "reviewer#1": "claude-reviewer@2",
      verifier: "claude-verifier@2",
    });
  });

  test("development-fake@1 needs no real agent", () => {
    const none = { available: false, reason: "not installed" };
    const backends = { claude: none, codex: none, fake: { available: true } };
    expect(chosen(bind({ template: named("development-fake@1"), personas: values, backends }))).toEqual({
      architect: "fake-architect@1",
      coder: "fake-coder@1",
      "reviewer#0": "fake-reviewer@1",
      "reviewer#1": "fake-reviewer@1",
      verifier: "fake-verifier@1",
    });
  });

  test("bugfix@1 can be played by fakes when they are named", () => {
    const overrides = { coder: { persona: "fake-coder@1" }, reviewer: { persona: "fake-reviewer-two@1" } };
    expect(chosen(bind({ template: named("bugfix@1"), personas: values, overrides }))).toEqual({
      coder: "fake-coder@1",
      reviewer: "fake-reviewer-two@1",
    });
  });
});
