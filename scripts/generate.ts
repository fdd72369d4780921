/**
 * `npm run generate`: writes the generated files. `--check` only compares, and fails on a difference.
 *
 * - `generatedFiles()` path → content.
 * - `staleFiles(root)` the paths whose content on disk differs.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { backendSchema } from "./generate/backend-schema.ts";
import { commandsPage } from "./generate/commands-page.ts";
import { configurationPage } from "./generate/configuration-page.ts";
import { errorsPage } from "./generate/errors-page.ts";
import { evalCaseSchema } from "./generate/eval-case-schema.ts";
import { evalFormatsPage } from "./generate/eval-formats-page.ts";
import { evalResultSchema } from "./generate/eval-result-schema.ts";
import { expectationsPage } from "./generate/expectations-page.ts";
import { configSchema, repositorySchema } from "./generate/settings-schemas.ts";
import { skillFiles } from "./generate/skills.ts";

export async function generatedFiles(): Promise<ReadonlyMap<string, string>> {
  return new Map([
    ["docs/errors.md", errorsPage()],
    ["docs/configuration.md", configurationPage()],
    ["docs/commands.md", await commandsPage()],
    ["docs/expectations.md", expectationsPage()],
    ["docs/eval-formats.md", evalFormatsPage()],
    ["schemas/backend@1.json", backendSchema()],
    ["schemas/config.schema.json", configSchema()],
    ["schemas/devflow.schema.json", repositorySchema()],
    ["schemas/eval-case@1.json", evalCaseSchema()],
    ["schemas/eval-result@1.json", evalResultSchema()],
    ...(await skillFiles()),
  ]);
}

export async function staleFiles(root: string): Promise<string[]> {
  const files = await generatedFiles();
  return [...files].filter(([path, content]) => readOrNothing(join(root, path)) !== content).map(([path]) => path);
}

async function writeFiles(root: string): Promise<void> {
  const files = await generatedFiles();
  for (const path of await staleFiles(root)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), files.get(path) ?? "");
    console.log(`wrote ${path}`);
  }
}

function readOrNothing(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

if (import.meta.main) {
  const root = join(import.meta.dir, "..");
  if (process.argv.includes("--check")) {
    const stale = await staleFiles(root);
    for (const path of stale) console.error(`${path} is out of date; run: npm run generate`);
    process.exitCode = stale.length > 0 ? 1 : 0;
  } else {
    await writeFiles(root);
  }
}
