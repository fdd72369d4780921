/**
 * `npm run bench [name …] [--write]`: every benchmark, or the named ones (`browse` means every `browse-…`); `--write`
 * updates docs/benchmarks.md.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { nearest } from "@devflow/core/nearest";
import type { Benchmark } from "./benchmark.ts";
import { machineFacts } from "./machine.ts";
import { measure } from "./measure.ts";
import { emptyDocument, placeInDocument, tableOf } from "./report.ts";

const root = join(import.meta.dir, "..");
const { values, positionals } = parseArgs({ options: { write: { type: "boolean" } }, allowPositionals: true });
const files = readdirSync(import.meta.dir).filter((name) => name.endsWith(".bench.ts"));
const known = files.map((file) => file.replace(".bench.ts", "")).sort();
const chosen = positionals.flatMap((name) => {
  const group = known.filter((one) => one.startsWith(`${name}-`));
  return known.includes(name) || group.length === 0 ? [name] : group;
});
const unknown = chosen.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  const meant = nearest(unknown[0] ?? "", known);
  console.error(
    `There is no benchmark "${unknown[0]}"${meant ? `; did you mean ${meant}?` : ""} Known: ${known.join(", ")}`,
  );
  process.exit(64);
}

const cache = join(root, ".cache/bench");
mkdirSync(cache, { recursive: true });
let missed = 0;
for (const name of chosen.length > 0 ? chosen : known) {
  const { default: benchmark } = (await import(`./${name}.bench.ts`)) as { default: Benchmark };
  console.log(`\n${benchmark.name}: ${benchmark.what}\n`);
  const measured = await measure(benchmark, { root, cache, say: (line) => console.log(`  ${line}`) });
  console.log(tableOf(measured));
  missed += measured.goals.filter(({ met }) => !met).length;
  if (values.write) {
    const path = join(root, "docs/benchmarks.md");
    mkdirSync(join(root, "docs"), { recursive: true });
    const document = existsSync(path) ? readFileSync(path, "utf8") : emptyDocument;
    writeFileSync(path, placeInDocument(document, measured, machineFacts(new Date())));
  }
}
process.exit(missed > 0 ? 1 : 0);
