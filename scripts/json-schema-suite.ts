/**
 * Runs the official JSON Schema Test Suite (the required part): draft 2020-12 through the evaluation of artifacts, and draft 2020-12
 * and draft 7 through the assertion `is-json`, as an eval suite would use it.
 *
 *     bun scripts/json-schema-suite.ts <folder of the suite>
 *
 * The suite is not a dependency, because no npm package has its 2020-12 tests; the source distribution of `jsonschema` on PyPI has
 * it in `json/`. Exits with 1 when an answer is wrong or a test is missing: the counts are those of the suite as of January 2026.
 *
 * `is-json` fetches nothing, so tests whose schemas refer to other addresses are counted and left out there.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ourVerdicts } from "@devflow/evals/testing/promptfoo";
import { runSchemaTests, type SchemaTestGroup } from "@devflow/json-schema/testing";

const leastTests = 1257;

/** Groups of draft 7 that `is-json` answers otherwise, and why. */
const knownDifferences: Readonly<Record<string, string>> = {
  "ref overrides any sibling keywords": "keywords beside $ref count, as in promptfoo's validator",
  "relative pointer ref to array": "#/items/0 leads nowhere: lists of items are read as prefixItems",
  "validate definition against metaschema": "draft 7's own schema is not part of Devflow",
  "remote ref, containing refs itself": "draft 7's own schema is not part of Devflow",
};

const [root] = process.argv.slice(2);
if (root === undefined) {
  console.error("Usage: bun scripts/json-schema-suite.ts <folder of the suite>");
  process.exit(64);
}
const filesIn = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".json"));
const read = (path: string): unknown => JSON.parse(readFileSync(join(root, path), "utf8"));
const groupsOf = (draft: string) =>
  filesIn(`tests/${draft}`)
    .filter((name) => !/^(optional|proposals)\//.test(name))
    .flatMap((name) => read(join(`tests/${draft}`, name)) as SchemaTestGroup[]);

// The suite expects its remote schemas at this address; nothing listens there.
const remotes = filesIn("remotes").map((name) => [`http://localhost:1234/${name}`, read(join("remotes", name))]);
const { right, wrong } = runSchemaTests(groupsOf("draft2020-12"), Object.fromEntries(remotes));
console.log(`draft2020-12: ${right} right, ${wrong.length} wrong`);
for (const draft of ["draft2020-12", "draft7"]) wrong.push(...(await throughIsJson(draft)));
for (const line of wrong) console.log(line);
process.exit(wrong.length === 0 && right >= leastTests ? 0 : 1);

async function throughIsJson(draft: string): Promise<string[]> {
  const groups = groupsOf(draft);
  // A schema that is false fits nothing; as the value of an assertion it means that there is no schema, as in promptfoo.
  const own = groups.filter(({ schema }) => schema !== false && !/localhost:1234/.test(JSON.stringify(schema)));
  const tests = own.flatMap(({ schema, description, tests: all }) =>
    all.map((test) => ({ ...test, schema, group: description })),
  );
  const vectors = tests.map(({ schema, data }) => ({
    assertion: { type: "is-json", value: schema },
    output: JSON.stringify(data),
  }));
  const verdicts = await ourVerdicts(vectors as never, root ?? "");
  const differences = tests.flatMap(({ group, description, valid }, index) => {
    const verdict = verdicts[index];
    const got = verdict && "pass" in verdict ? verdict.pass : "an error";
    return got === valid ? [] : [{ group, line: `${draft}: ${group}: ${description}: expected ${valid}, got ${got}` }];
  });
  const isKnown = ({ group }: { group: string }) => draft === "draft7" && Object.hasOwn(knownDifferences, group);
  const faults = differences.filter((one) => !isKnown(one));
  const left = groups.flatMap((one) => one.tests).length - tests.length;
  const counts = [
    `${tests.length - differences.length} right`,
    `${faults.length} wrong`,
    `${differences.length - faults.length} known to differ`,
    `${left} left out (other addresses)`,
  ];
  console.log(`${draft} through is-json: ${counts.join(", ")}`);
  return faults.map(({ line }) => line);
}
