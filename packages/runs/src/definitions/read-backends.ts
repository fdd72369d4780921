/**
 * The backends that a person added: `~/.devflow/backends/<name>.yaml`.
 *
 * - `readBackends(home)` those that are valid, and why the others are not.
 */
import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { BackendDefinition } from "./backend-definition.ts";
import { type DefinitionResult, readYaml } from "./read-definition.ts";
import { readText } from "./read-text.ts";
import type { Refusal } from "./registry.ts";

export interface OwnBackend {
  readonly definition: BackendDefinition;
  readonly file: string;
}

interface ReadBackends {
  readonly backends: readonly OwnBackend[];
  readonly refused: readonly Refusal[];
}

export async function readBackends(home: string): Promise<ReadBackends> {
  const backends: OwnBackend[] = [];
  const refused: Refusal[] = [];
  for (const file of await filesIn(join(home, "backends"))) {
    const read = await readBackend(file);
    if (read.ok) backends.push({ definition: read.value, file });
    else refused.push({ file, faults: read.faults });
  }
  return { backends, refused };
}

async function readBackend(file: string): Promise<DefinitionResult<BackendDefinition>> {
  const text = await readText(file);
  if (typeof text !== "string") return { ok: false, faults: [{ path: "", line: undefined, reason: text.reason }] };
  return readYaml(BackendDefinition, text, ({ name }) =>
    basename(file) === `${name}.yaml`
      ? []
      : [{ path: ["name"], message: `the file must be called ${name}.yaml, not ${basename(file)}` }],
  );
}

/** A .yml would be ignored silently, so it is read and its name reported. */
async function filesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  return names
    .filter((name) => /^[^.].*\.ya?ml$/.test(name))
    .sort()
    .map((name) => join(folder, name));
}
