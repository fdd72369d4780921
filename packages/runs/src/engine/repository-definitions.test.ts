/** Templates, personas and schemas that a repository brings along in its .devflow folder. */
import { afterAll, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DevflowError } from "@devflow/core/errors";
import { type EngineBench, openEngineBench } from "../../testing/engine-bench.ts";
import { listTemplates, runDetail } from "../views/index.ts";

const template = (title = "Note it") => `name: notes
version: 1
roles:
  - { id: writer, requiredCapabilities: [code_edit], preferredBackends: [fake] }
phases:
  - key: note
    kind: planning
    title: ${title}
    risk: low
    roles: [writer]
    expectedArtifact: { path: note.json, schema: my/note@1 }
    instructions: Write a note.
`;
const persona = `name: own-writer
version: 7
backend: fake
capabilities: [code_edit]
maxRiskLevel: low
`;
const schema = {
  title: "A note",
  type: "object",
  required: ["note"],
  properties: { note: { type: "string", $ref: "text@1#/$defs/line" } },
  unevaluatedProperties: false,
  $id: "https://notes.invalid/note@1",
};
const text = { $id: "https://notes.invalid/text@1", $defs: { line: { type: "string", minLength: 3 } } };

const bench: EngineBench = await openEngineBench({
  files: {
    "README.md": "# Demo\n",
    ".devflow/templates/notes@1.yaml": template(),
    ".devflow/personas/own-writer@7.yaml": persona,
    ".devflow/schemas/my/note@1.json": JSON.stringify(schema),
    ".devflow/schemas/my/text@1.json": JSON.stringify(text),
  },
});
afterAll(() => bench.close());

const inRepository = (...words: string[]): void => {
  const identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"];
  const done = spawnSync("git", [...identity, ...words], { cwd: bench.repository, encoding: "utf8" });
  if (done.status !== 0) throw new Error(done.stderr);
};
const write = (path: string, content: string): void => {
  mkdirSync(dirname(join(bench.repository, path)), { recursive: true });
  writeFileSync(join(bench.repository, path), content);
};
const commit = (): void => {
  inRepository("add", "--all");
  inRepository("commit", "--quiet", "-m", "Change");
};
async function refusal(work: Promise<unknown>): Promise<DevflowError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof DevflowError) return error;
  throw new Error(`not refused: ${String(error)}`);
}
const preview = (wanted: string, overrides = {}) =>
  bench.engine.previewRun({
    teamId: bench.teamId,
    template: wanted,
    repository: bench.repository,
    requirements: "-",
    overrides,
    clientToken: "preview",
  });
const claims = { sub: bench.person.userId ?? "", role: "authenticated" as const };

test("a run uses the template, the persona and the schemas of its base commit", async () => {
  const runId = await bench.play({ note: ["invalid", "ok"] }, { template: "notes" });
  // What changes in the folder afterwards, committed or not, means nothing to this run.
  write(".devflow/schemas/my/note@1.json", JSON.stringify({ not: {} }));
  const { run, bindings, artifacts, template: used } = await bench.finish(runId);
  expect([run.state, used.name, used.phases[0]?.title]).toEqual(["completed", "notes", "Note it"]);
  expect(bindings.map((one) => (one.persona as { name: string }).name)).toEqual(["own-writer"]);
  expect(artifacts.map((one) => one.valid)).toEqual([false, true]);
  const events = await bench.events(runId);
  expect(events[0]?.payload).toMatchObject({ template: "notes@1", templateFrom: "repository" });
  expect(Object.keys(events[0]?.payload.schemas as object)).toEqual(["my/note@1", "my/text@1"]);
  const invalid = events.find((one) => one.type === "artifact.invalid")?.payload.errors;
  expect(invalid).toEqual([
    { path: "(file)", message: 'member "note" is missing' },
    { path: "(file)", message: 'member "wrong" is not known Allowed: note' },
  ]);
  const [prompt] = await bench.prompts(runId);
  expect(prompt?.instructions).toContain("A note");
  // Members of the team see it with the run; it is not offered to other repositories.
  const reader = { database: bench.database, claims };
  expect(await runDetail(reader, runId)).toMatchObject({ template: "notes@1" });
  expect((await listTemplates(reader)).map((one) => one.name)).not.toContain("notes");
  inRepository("checkout", "--quiet", ".");
});

test("the same id may have another content in a later commit, and earlier runs keep theirs", async () => {
  const before = await bench.finish(await bench.play({}, { template: "notes@1" }));
  write(".devflow/templates/notes@1.yaml", template("Write it down"));
  commit();
  const after = await bench.finish(await bench.play({}, { template: "notes@1" }));
  expect([before, after].map((one) => one.template.phases[0]?.title)).toEqual(["Note it", "Write it down"]);
  expect(before.run.template_hash).not.toBe(after.run.template_hash);
});

describe("a repository's persona", () => {
  test("plays in a template of this machine only if an override names it", async () => {
    const chosen = async (overrides = {}) => {
      const result = await preview("development-fake@1", overrides);
      return result.explanations.find((one) => one.instance === "coder")?.chosen;
    };
    expect(await chosen()).toBe("fake-coder@1");
    const result = await preview("development-fake@1", { coder: { persona: "own-writer@7" } });
    expect(result).toMatchObject({ ok: false, reason: expect.stringContaining("own-writer@7 cannot play it: lacks") });
    const missing = await preview("development-fake@1", { coder: { persona: "nobody@1" } });
    expect(missing).toMatchObject({ ok: false, reason: "role coder: there is no persona nobody@1" });
  });
});

describe("what is wrong in a repository", () => {
  test("stops its own templates with every error, its file and its commit; shipped templates are not affected", async () => {
    write(".devflow/templates/broken@1.yaml", "name: broken\nversion: 1\nphases: []\n");
    write(".devflow/schemas/my/draft@1.json", '{"type": "objekt"}');
    write(".devflow/schemas/Bad Name.json", "{}");
    commit();
    const error = await refusal(bench.start({ template: "notes@1" }));
    expect(error.code).toBe("definitions_invalid");
    expect(error.hint).toEndWith("devflow template validate <file>, devflow schema validate <file>");
    for (const part of [
      /\.devflow\/templates\/broken@1\.yaml \([0-9a-f]{12}\):\d+: phases/,
      /\.devflow\/schemas\/my\/draft@1\.json \([0-9a-f]{12}\): type: must be one of/,
      /\.devflow\/schemas\/Bad Name\.json \([0-9a-f]{12}\): the file must be called/,
    ])
      expect(error.message).toMatch(part);
    expect((await preview("development-fake@1")).ok).toBe(true);
    inRepository("rm", "-rq", ".devflow/templates/broken@1.yaml", ".devflow/schemas/my/draft@1.json");
    rmSync(join(bench.repository, ".devflow/schemas/Bad Name.json"));
    commit();
  });

  test("an id of this machine with another content is refused", async () => {
    write(".devflow/templates/bugfix@1.yaml", template().replace("name: notes", "name: bugfix"));
    commit();
    const error = await refusal(bench.start({ template: "bugfix@1" }));
    expect(error.message).toContain("bugfix@1 is already defined on this machine with different content");
    inRepository("rm", "-q", ".devflow/templates/bugfix@1.yaml");
    commit();
  });

  test("an unknown template is reported with those of the repository", async () => {
    const error = await refusal(bench.start({ template: "noted@1" }));
    expect(error.hint).toContain("notes@1 (repository)");
  });
});

test("a schema in the home is used by runs, and a run keeps it when the file goes", async () => {
  const home = join(bench.context.home, "schemas/home");
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, "memo@1.json"), JSON.stringify({ type: "object", required: ["note"] }));
  await bench.addTemplate({
    name: "memos",
    version: 1,
    roles: [{ id: "writer", requiredCapabilities: ["code_edit"], preferredBackends: ["fake"] }],
    phases: [
      {
        key: "memo",
        kind: "planning",
        title: "Memo",
        risk: "low",
        roles: ["writer"],
        expectedArtifact: { path: "memo.json", schema: "home/memo@1" },
        instructions: "Write it.",
      },
    ],
  });
  const runId = await bench.play({ memo: "ok" }, { template: "memos@1" });
  rmSync(home, { recursive: true });
  expect((await bench.finish(runId)).run.state).toBe("completed");
  const error = await refusal(bench.start({ template: "memos@1" }));
  expect(error.message).toBe("There is no artifact schema home/memo@1.");
});
