import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { quietLog, type TestDatabase, temporaryFolder, testDatabase } from "@devflow/testkit";
import { createDefinitionStore, type DefinitionStore } from "./definition-store.ts";

const template = (title: string, risk = "low") => `name: own
version: 1
roles: []
phases:
  - {key: report, kind: report, title: ${title}, risk: ${risk}}
`;

let db: TestDatabase;
beforeAll(async () => {
  db = await testDatabase();
}, 120_000);
afterAll(() => db?.close());

test("a broken or edited file is told, the last good one stays in force, and changes are taken up at once", async () => {
  const home = temporaryFolder("definitions");
  mkdirSync(join(home, "templates"));
  const file = join(home, "templates/own@1.yaml");
  const store: DefinitionStore = createDefinitionStore({ home, database: db.database, log: quietLog });
  const inForce = async () => {
    await store.ensure();
    const rows = await db.database.asEngine(
      (tx) => tx<{ title: string }[]>`
        select definition #>> '{phases,0,title}' as title from app.workflow_templates where name like 'own%' order by name`,
    );
    return { titles: rows.map((row) => row.title), faults: store.faults().map(({ problem }) => problem) };
  };
  expect(await inForce()).toEqual({ titles: [], faults: [] });

  writeFileSync(file, template("First"));
  expect(await inForce()).toEqual({ titles: ["First"], faults: [] });

  writeFileSync(file, template("Second", "huge"));
  const broken = await inForce();
  expect(broken.titles).toEqual(["First"]);
  expect(broken.faults).toEqual([expect.stringContaining(`${file}:5: phases[0].risk: Invalid option`)]);

  writeFileSync(file, template("Second"));
  const changed = `${file}: version: own@1 was published with different content; give the changed one a new version`;
  expect(await inForce()).toEqual({ titles: ["First"], faults: [changed] });

  writeFileSync(join(home, "templates/own-two@1.yaml"), template("Other").replace("own", "own-two"));
  writeFileSync(file, template("First"));
  expect(await inForce()).toEqual({ titles: ["First", "Other"], faults: [] });

  rmSync(home, { recursive: true });
  expect((await inForce()).faults).toEqual([]);
});
