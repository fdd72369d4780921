/**
 * Runs the official JSON Schema Test Suite (draft 2020-12, the required part) through the evaluation of artifacts and of is-json.
 *
 *     bun scripts/json-schema-suite.ts <folder of the suite>
 *
 * The suite is not a dependency, because no npm package has its 2020-12 tests. Exits with 1 when an answer is wrong or a
 * test is missing: the counts are those of the suite as of January 2026.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { runSchemaTests, type SchemaTestGroup } from "@devflow/json-schema/testing";

const leastTests = 1257;

const [root] = process.argv.slice(2);
if (root === undefined) {
  console.error("Usage: bun scripts/json-schema-suite.ts <folder of the suite>");
  process.exit(64);
}
const filesIn = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".json"));
const read = (path: string): unknown => JSON.parse(readFileSync(join(root, path), "utf8"));

// The suite expects its remote schemas at this address; nothing listens there.
const remotes = filesIn("remotes").map((name) => [`http://localhost:1234/${name}`, read(join("remotes", name))]);
const folder = "tests/draft2020-12";
const groups = filesIn(folder)
  .filter((name) => !/^(optional|proposals)\//.test(name))
  .flatMap((name) => read(join(folder, name)) as SchemaTestGroup[]);
const { right, wrong } = runSchemaTests(groups, Object.fromEntries(remotes));
for (const line of wrong) console.log(line);
console.log(`${right} right, ${wrong.length} wrong`);
process.exit(wrong.length === 0 && right >= leastTests ? 0 : 1);
