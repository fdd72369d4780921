import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DevflowError } from "@devflow/core/errors";
import { fakeAnswer } from "@devflow/session/testing";
import { describeSchema } from "./describe-schema.ts";
import { createSchemaRegistry, loadSchema, schemaIds, schemasWith, validateArtifact } from "./schema-registry.ts";
import { schemaWarnings } from "./schema-warnings.ts";

const folder = join(import.meta.dir, "../../../../schemas/artifacts");
const finding = "0f8fad5b-d9cb-469f-a165-70867728950e";

function thrown(work: () => unknown): DevflowError {
  try {
    work();
  } catch (error) {
    if (error instanceof DevflowError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

function errorsOf(id: string, data: unknown) {
  const verdict = validateArtifact(id, data);
  return verdict.ok ? [] : verdict.errors;
}

describe("the shipped schemas", () => {
  test("every schema file is compiled in, under the id given by its path", () => {
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".json"));
    expect(files.map((name) => name.replaceAll("\\", "/").replace(/\.json$/, "")).sort()).toEqual([...schemaIds]);
    expect(schemaIds.map((id) => loadSchema(id).$id)).toEqual(schemaIds.map((id) => `devflow:${id}`));
  });

  test.each([...schemaIds])("%s compiles, has a description, and its examples are valid", (id) => {
    const schema = loadSchema(id);
    expect(schema.title?.length).toBeGreaterThan(3);
    expect(schema.description?.length).toBeGreaterThan(20);
    expect(validateArtifact(id, 42)).toEqual({
      ok: false,
      errors: [{ path: "(file)", message: "must be an object; it is a number" }],
    });
    if (!id.startsWith("common/final-report@")) expect(schema.examples).toHaveLength(1);
    for (const example of schema.examples ?? []) expect(validateArtifact(id, example)).toEqual({ ok: true });
  });

  test.each(schemaIds.filter((id) => !id.startsWith("common/final-report@")))(
    "the fake agent's answer to %s is valid",
    (id) => {
      for (const attempt of [1, 2]) {
        for (const findings of [[], [{ id: finding, summary: "x" }]]) {
          const answer = fakeAnswer({ expectedSchema: id, phaseKey: "p", roleId: "reviewer#1", attempt, findings });
          expect(validateArtifact(id, answer)).toEqual({ ok: true });
        }
      }
    },
  );

  test("a final report with everything in it is valid, and the seed's minimum is required", () => {
    const report = finalReport();
    expect(validateArtifact("common/final-report@4", report)).toEqual({ ok: true });
    const least =
      "runId templateHash bindings inputs phases approvals findings commands artifacts events unresolved endedAt status";
    for (const member of least.split(" ")) {
      const { [member]: _, ...without } = report as Record<string, unknown>;
      expect(errorsOf("common/final-report@4", without)[0]?.message).toStartWith(`member "${member}" is missing`);
    }
    expect(errorsOf("common/final-report@4", { ...report, events: { count: 1 } })[0]?.path).toBe("events");
  });
});

describe("an error message", () => {
  const spec = loadSchema("dev/spec@1").examples?.[0] as Record<string, unknown>;

  test("a missing member is named with its description", () => {
    const { title: _, ...rest } = spec;
    expect(errorsOf("dev/spec@1", rest)).toEqual([
      {
        path: "(file)",
        message: 'member "title" is missing (The change in a few words, as a commit subject would say it.)',
      },
    ]);
  });

  test("a wrong value is reported with the allowed ones, and all errors are reported at once", () => {
    const requirements = [{ id: "R1", text: "", priority: "high" }];
    expect(errorsOf("dev/spec@1", { ...spec, requirements, outOfScope: "no" })).toEqual([
      {
        path: "requirements[0].text",
        message: "must not be empty (One statement that is either true or false of the finished work.)",
      },
      { path: "requirements[0].priority", message: 'must be one of "must", "should", "could"; it is "high"' },
      { path: "outOfScope", message: "must be an array; it is a string" },
    ]);
  });

  test("a misspelled member is reported with the nearest name", () => {
    const { title, ...rest } = spec;
    expect(errorsOf("dev/spec@1", { ...rest, titel: title })[1]?.message).toStartWith(
      'member "titel" is not known; did you mean "title"? Allowed: title, summary',
    );
  });

  test("a change report must list files unless it says noChange, and then it must not", () => {
    const report = loadSchema("dev/change-report@1").examples?.[0] as Record<string, unknown>;
    expect(errorsOf("dev/change-report@1", { ...report, files: [] })).toEqual([
      { path: "files", message: "must have at least one entry" },
    ]);
    expect(errorsOf("dev/change-report@1", { ...report, noChange: true })).toEqual([
      { path: "files", message: "must be empty" },
    ]);
    expect(validateArtifact("dev/change-report@1", { ...report, noChange: true, files: [] })).toEqual({ ok: true });
  });

  test("a path out of the repository is refused in a write set", () => {
    for (const path of ["/etc/passwd", "../x", "a/../../b", ".."]) {
      const tasks = [{ id: "T1", title: "x", dependsOn: [], writeSet: [path] }];
      expect(errorsOf("dev/dag@1", { tasks }).map((error) => error.path)).toEqual(["tasks[0].writeSet[0]"]);
    }
    const tasks = [{ id: "T1", title: "x", dependsOn: [], writeSet: ["a..b/c", "src/**"] }];
    expect(validateArtifact("dev/dag@1", { tasks })).toEqual({ ok: true });
  });

  test("a file with very many errors gets one of them", () => {
    const findings = Array.from({ length: 100_000 }, () => ({}));
    const errors = errorsOf("dev/review-finding-batch@1", { reviewer: "r", summary: "s", findings });
    expect(errors.map((error) => error.path)).toEqual(["findings[0]"]);
  });

  test("a long list of errors is cut, with the number of the rest", () => {
    const findings = Array.from({ length: 100 }, () => ({}));
    const errors = errorsOf("dev/review-finding-batch@1", { reviewer: "r", summary: "s", findings });
    expect(errors).toHaveLength(51);
    expect(errors.at(-1)?.message).toBe("and 350 more error(s) of the same kinds");
  });

  test("a member called __proto__ is refused like any other unknown member", () => {
    const data = JSON.parse('{"__proto__": {"title": "x"}}') as unknown;
    expect(errorsOf("dev/spec@1", data).some((error) => error.message.includes('"__proto__"'))).toBe(true);
  });
});

describe("missing and broken schemas", () => {
  test("an unknown id is reported with the nearest one", () => {
    const error = thrown(() => validateArtifact("dev/spek@1", {}));
    expect([error.code, error.message, error.hint]).toEqual([
      "artifact_schema_unknown",
      "There is no artifact schema dev/spek@1.",
      "Did you mean dev/spec@1?",
    ]);
    expect(thrown(() => loadSchema("constructor")).code).toBe("artifact_schema_unknown");
  });

  test("a broken schema is reported when it is used", () => {
    const registry = createSchemaRegistry({ "x/y@1": { type: "objekt", minLength: -1 } });
    const error = thrown(() => registry.validate("x/y@1", {}));
    expect(error.code).toBe("artifact_schema_load_failed");
    expect(error.message).toContain('type: must be one of "array", "boolean"');
    expect(error.message).toContain("minLength: must be >= 0; it is -1");
  });

  test.each([
    [{ $ref: "https://example.com/other.json" }, "the reference https://example.com/other.json leads nowhere"],
    [{ $ref: "#/$defs/missing" }, "the reference #/$defs/missing leads nowhere"],
    [{ pattern: "(" }, "the pattern ( is not a regular expression"],
    [{ $schema: "http://json-schema.org/draft-07/schema#" }, '"$schema" is http://json-schema.org/draft-07/schema'],
  ])("%j is refused with a reason", (schema, reason) => {
    const registry = createSchemaRegistry({ "x/y@1": schema });
    expect(registry.faults("x/y@1").join("; ")).toStartWith(reason);
  });

  test("a schema that refers to itself without end is an error of validation, not a crash", () => {
    const registry = createSchemaRegistry({ "x/y@1": { $ref: "#" } });
    expect(registry.validate("x/y@1", {})).toMatchObject({ ok: false });
  });

  test("schemas may refer to one another, and a run's own cannot replace a shipped one", () => {
    const registry = schemasWith({
      "my/list@1": { type: "array", items: { $ref: "devflow:dev/dag@1" } },
      "dev/dag@1": { type: "null" },
    });
    expect(registry.validate("my/list@1", [{ tasks: 1 }])).toEqual({
      ok: false,
      errors: [{ path: "[0].tasks", message: "must be an array; it is a number" }],
    });
    expect(registry.load("dev/dag@1")).toBe(loadSchema("dev/dag@1"));
  });

  test("what the standard allows is accepted, with a warning where it is probably a mistake", async () => {
    const schema = { type: "object", propertys: { a: {} }, properties: { n: { minimum: 1 }, s: { format: "email" } } };
    const registry = createSchemaRegistry({ "x/y@1": schema });
    expect(registry.validate("x/y@1", { n: 1, s: "not an address" })).toEqual({ ok: true });
    expect(await schemaWarnings(schema)).toEqual([
      'unknown keyword: "propertys"',
      'missing type "number" for keyword "minimum" at "#/properties/n"',
      'missing type "number,string" for keyword "format" at "#/properties/s"',
    ]);
    for (const id of schemaIds) expect([id, await schemaWarnings(loadSchema(id))]).toEqual([id, []]);
  });
});

test("an agent reads members, allowed values and an example", () => {
  const text = describeSchema(loadSchema("dev/dag@1"));
  expect(text).toStartWith("Task graph: Work cut into tasks");
  expect(text).toContain("\n  - writeSet (list of at least 1 strings): Every file that the task may write");
  expect(text).toContain('"dependsOn": [\n');
});

function finalReport() {
  const at = "2026-01-02T03:04:05.678Z";
  const sha = "a".repeat(64);
  const tokens = { usd: null, inputTokens: 1, outputTokens: 2, cacheReadTokens: 0, cacheWriteTokens: 0 };
  return {
    schema: "common/final-report@4",
    runId: finding,
    title: "Greet",
    status: "failed",
    failureReason: "rejected",
    template: "development@1",
    templateHash: sha,
    createdAt: at,
    startedAt: at,
    endedAt: at,
    forkOf: { runId: finding, phase: "implement", commit: "c" },
    bindings: [
      { role: "coder", persona: "fake-coder@1", personaHash: sha, backend: "fake", bindingHash: sha, override: null },
    ],
    inputs: {
      requirementsMd: "",
      repoPath: "/r",
      baseBranch: "main",
      baseCommit: "c",
      branch: "devflow/x/main",
      inputHash: sha,
      lockedHash: null,
    },
    phases: [
      {
        key: "spec",
        kind: "planning",
        title: "Specification",
        state: "completed",
        attempts: 1,
        loops: 0,
        reason: null,
        startedAt: at,
        endedAt: at,
      },
    ],
    approvals: [
      {
        id: finding,
        gate: "plan_approved",
        kind: "gate",
        phase: "plan",
        state: "rejected",
        epoch: 1,
        decision: {
          action: "reject",
          comment: null,
          actor: { userId: "u", kind: "human", via: "cli" },
          decidedAt: at,
        },
      },
    ],
    findings: [
      {
        id: finding,
        severity: "low",
        category: "style",
        file: null,
        line: null,
        summary: "x",
        evidence: null,
        reviewers: ["reviewer#0"],
        verifierStatus: "unverified",
        verifierReason: null,
        resolved: false,
        waiver: { reason: "Known.", at, by: { userId: null, kind: "human", via: "cli", name: "Ada" } },
      },
    ],
    audit: [
      {
        id: finding,
        phase: "implement",
        attempt: 1,
        role: "coder",
        source: "permission",
        outcome: "denied",
        severity: "high",
        rule: "rm -rf",
        reason: "it deletes folders",
        detail: "rm -rf /",
      },
    ],
    commands: [
      {
        id: finding,
        kind: "test",
        argv: ["npm", "test"],
        phase: null,
        exitCode: 1,
        failure: null,
        startedAt: at,
        endedAt: at,
        stdoutHash: sha,
        stderrHash: null,
      },
    ],
    artifacts: [
      {
        path: "spec.json",
        schema: "dev/spec@1",
        hash: sha,
        bytes: 2,
        valid: true,
        phase: "spec",
        role: "architect",
        attempt: 1,
      },
    ],
    commits: [{ commit: "c", phase: "implement", attempt: 1, subject: "x" }],
    diff: { files: 1, insertions: 2, deletions: 3 },
    cost: { ...tokens, phases: [{ phase: "spec", ...tokens }] },
    events: { count: 9, tail: [{ seq: 9, type: "run.failed", at, hash: sha, payload: {} }] },
    chain: { head: sha, signature: null, publicKey: null, algorithm: "Ed25519" },
    unresolved: [{ kind: "finding", summary: "x", id: finding }],
  };
}
