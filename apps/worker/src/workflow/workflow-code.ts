/**
 * The workflow as one script for Temporal's sandbox.
 *
 * - `workflowCode()` bundled from the sources and kept in `.cache`, by the hash of what it is made of. The compiled worker has
 *   it inside: scripts/build/worker.ts replaces this module.
 */
import { createHash } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";

const folder = import.meta.dir;
const cache = join(folder, "../../../../.cache/workflow");

export async function workflowCode(): Promise<string> {
  const name = await contentHash();
  const path = join(cache, `${name}.js`);
  const known = await readFile(path, "utf8").catch(() => undefined);
  if (known !== undefined) return known;
  const { bundleWorkflowCode } = await import("@temporalio/worker");
  const quiet = { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} };
  const { code } = await bundleWorkflowCode({ workflowsPath: join(folder, "run.ts"), logger: quiet });
  await mkdir(cache, { recursive: true });
  const unfinished = `${path}.${process.pid}`;
  await writeFile(unfinished, code);
  await rename(unfinished, path);
  return code;
}

async function contentHash(): Promise<string> {
  const hash = createHash("sha256");
  for (const file of ["run.ts", "messages.ts"]) hash.update(await readFile(join(folder, file)));
  hash.update(await readFile(createRequire(import.meta.url).resolve("@temporalio/workflow/package.json")));
  return hash.digest("hex").slice(0, 32);
}
