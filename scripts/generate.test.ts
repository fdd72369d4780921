import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { settingKeys } from "@devflow/core/config";
import { generatedFiles, staleFiles } from "./generate.ts";

test("missing and edited files are stale, unchanged ones are not", async () => {
  const root = mkdtempSync(join(tmpdir(), "devflow-generate-"));
  const files = await generatedFiles();
  expect(await staleFiles(root)).toEqual([...files.keys()]);
  for (const [path, content] of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  expect(await staleFiles(root)).toEqual([]);
  writeFileSync(join(root, "docs/errors.md"), `${files.get("docs/errors.md")}by hand\n`);
  expect(await staleFiles(root)).toEqual(["docs/errors.md"]);
  rmSync(root, { recursive: true });
});

test("the schema of config.yaml has every setting, that of .devflow.json only what a repository may set", async () => {
  const files = await generatedFiles();
  const read = (path: string) => JSON.parse(files.get(path) ?? "{}").properties;
  expect(Object.keys(read("schemas/config.schema.json"))).toEqual(settingKeys);
  expect(Object.keys(read("schemas/devflow.schema.json").settings.properties)).toEqual([
    "log_level",
    "max_concurrent_runs",
  ]);
});
