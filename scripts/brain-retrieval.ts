/**
 * Measures how well decisions are found and writes the table into docs/brain.md:
 * `bun scripts/brain-retrieval.ts [--write]`, over 2,400 made decisions and 240 questions.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { retrievalOn } from "../bench/brain/measured-retrieval.ts";
import { retrievalTable } from "../bench/brain/retrieval.ts";

const [decisions, questions] = [2_400, 240];
const { values } = parseArgs({ options: { write: { type: "boolean" } } });
const table = retrievalTable(await retrievalOn(decisions, questions));
console.log(table);
if (values.write) {
  const path = join(import.meta.dir, "../docs/brain.md");
  const page = readFileSync(path, "utf8");
  const marks = /(<!-- retrieval -->\n)[\s\S]*?(<!-- \/retrieval -->)/;
  if (!marks.test(page)) throw new Error("docs/brain.md has no place for the table");
  writeFileSync(path, page.replace(marks, `$1${table}\n$2`));
}
process.exit(0);
