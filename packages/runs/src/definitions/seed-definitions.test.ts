import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connectAsAdmin } from "@devflow/db";
import { type TestDatabase, testDatabase } from "@devflow/testkit";
import { Persona, personaHash, personaId } from "../personas/persona.ts";
import { Template, templateHash, templateId } from "../templates/index.ts";
import { type Definitions, shippedDefinitions } from "./registry.ts";
import { type SeedOptions, seedDefinitions } from "./seed-definitions.ts";

let db: TestDatabase;
beforeAll(async () => {
  db = await testDatabase();
}, 120_000);
afterAll(() => db?.close());

const shipped = shippedDefinitions();
const seed = (definitions: Definitions, options?: SeedOptions) =>
  db.database.asEngine((tx) => seedDefinitions(tx, definitions, options));

function withOwn(title?: string): Definitions {
  const phases = [{ key: "a", kind: "report", title, risk: "low" }];
  const template = title ? [Template.parse({ name: "own", version: 1, roles: [], phases })] : [];
  const persona = title
    ? [
        Persona.parse({
          name: "own",
          version: 1,
          backend: "fake",
          capabilities: [],
          maxRiskLevel: "low",
          promptConfig: { systemPrompt: title },
        }),
      ]
    : [];
  return {
    templates: [
      ...shipped.templates,
      ...template.map((value) => ({
        id: templateId(value),
        hash: templateHash(value),
        value,
        source: "/home/own@1.yaml",
        text: "",
      })),
    ],
    personas: [
      ...shipped.personas,
      ...persona.map((value) => ({
        id: personaId(value),
        hash: personaHash(value),
        value,
        source: "/home/own@1.yaml",
        text: "",
      })),
    ],
  };
}

async function refusal(work: Promise<unknown>): Promise<string> {
  const error = (await work.then(() => undefined).catch((thrown: unknown) => thrown)) as {
    code?: string;
    message: string;
  };
  expect(error?.code).toBe("template_load_failed");
  return error.message;
}

describe("seeding", () => {
  test("inserts every definition once, and repeating it changes nothing", async () => {
    const first = await seed(shipped);
    expect([...first.inserted].sort()).toEqual([...shipped.templates, ...shipped.personas].map(({ id }) => id).sort());
    expect(await seed(shipped)).toEqual({ inserted: [], removed: [], kept: [], refused: [] });
    const rows = await db.database.asEngine(
      (tx) =>
        tx<{ hash: string; definition: unknown }[]>`select hash, definition from app.workflow_templates order by name`,
    );
    expect(rows.map(({ definition }) => templateHash(Template.parse(definition)))).toEqual(
      rows.map(({ hash }) => hash),
    );
  });

  test("two servers that start at once do not conflict", async () => {
    const definitions = withOwn("first");
    const results = await Promise.all([seed(definitions), seed(definitions)]);
    expect(results.flatMap(({ inserted }) => inserted)).toEqual(["own@1", "own@1"]);
  });

  test("a published version with different content is refused, and nothing of it is stored", async () => {
    const message = await refusal(seed(withOwn("second")));
    expect(message).toContain("/home/own@1.yaml: version: own@1 was published with different content");
    expect(await seed(withOwn("first"))).toEqual({ inserted: [], removed: [], kept: [], refused: [] });
  });

  test("a definition whose file is gone is deleted when no run refers to it", async () => {
    expect(await seed(withOwn(), { gone: "keep" })).toEqual({
      inserted: [],
      removed: [],
      kept: ["own@1", "own@1"],
      refused: [],
    });
    expect(await seed(withOwn())).toEqual({ inserted: [], removed: ["own@1", "own@1"], kept: [], refused: [] });
    expect((await seed(withOwn("second"))).inserted).toEqual(["own@1", "own@1"]);
  });

  test("a missing file is an error when a run refers to the definition", async () => {
    await startRunWithOwn();
    const message = await refusal(seed(withOwn()));
    expect(message.match(/the file is gone, but 1 run\(s\) refer to it/g)).toHaveLength(2);
    expect((await seed(withOwn(), { gone: "keep" })).kept).toEqual(["own@1", "own@1"]);
    expect(await seed(withOwn("second"))).toEqual({ inserted: [], removed: [], kept: [], refused: [] });
  });
});

async function startRunWithOwn(): Promise<void> {
  const sql = connectAsAdmin(db.target, db.name);
  try {
    await sql.begin(async (tx) => {
      const [user] = await tx`insert into app.users (name, email) values ('Ada', 'ada@example.org') returning id`;
      const [team] = await tx`insert into app.teams (slug, name) values ('ada', 'Ada') returning id`;
      const [run] = await tx`
        insert into app.runs (id, team_id, started_by, host, template_id, template_hash, title, state, repo_path,
          repo_key, base_branch, base_commit, branch, worktree_root, folder, root_run_id, client_token)
        select new.id, ${team?.id}, ${user?.id}, 'here', w.id, hash, 'x', 'created', '/r', 'r', 'main', 'c', 'b', '/w', '/f', new.id, 't'
        from app.workflow_templates w, (select gen_random_uuid() as id) as new where name = 'own' returning id`;
      await tx`
        insert into app.run_bindings (run_id, team_id, role_id, persona_id, persona_hash, backend, binding_hash,
          binding_content_hash)
        select ${run?.id}, ${team?.id}, 'coder', id, hash, 'fake', 'h', 'h' from app.agent_personas where name = 'own'`;
    });
  } finally {
    await sql.end({ timeout: 1 });
  }
}
