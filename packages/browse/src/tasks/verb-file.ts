/**
 * Verbs of the app under test, in `.devflow/pages/*.yaml`: what an agent wants to do, as steps that are known to work.
 *
 * - `readVerbs(workspace)` all verbs by name, each with its file; throws `input_invalid` for a file that is none.
 * - `writeVerb(file, name, verb)` adds or replaces one.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { writeFileAtomic } from "@devflow/core/atomic-file";
import { DevflowError } from "@devflow/core/errors";
import { parse, stringify } from "yaml";
import { z } from "zod";
import { Expectation } from "./expectation.ts";

const target = z.object({
  role: z.string(),
  name: z.string(),
  selector: z.string().min(1),
  /** The controls before and after it, by which it is known when it was renamed. */
  after: z.string().optional(),
  before: z.string().optional(),
});

const step = z.object({
  /** A browse command. */
  do: z.string().min(1),
  on: target.optional(),
  /** Its other arguments; `{name}` stands for a value that the verb takes. */
  with: z.record(z.string(), z.unknown()).optional(),
  expect: Expectation.optional(),
});

const verb = z.object({
  /** Values by name, in order. `null` must be given, others may. */
  takes: z.record(z.string(), z.string().nullable()).default({}),
  steps: z.array(step).min(1),
});
const file = z.object({ verbs: z.record(z.string(), verb) });

export type Verb = z.output<typeof verb>;
export type VerbStep = z.output<typeof step>;
export interface FoundVerb {
  readonly name: string;
  readonly verb: Verb;
  readonly file: string;
}

export const pagesFolder = (workspace: string): string => join(workspace, ".devflow", "pages");

export function readVerbs(workspace: string): FoundVerb[] {
  const folder = pagesFolder(workspace);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(".yaml"))
    .sort()
    .flatMap((name) => {
      const path = join(folder, name);
      return Object.entries(readVerbFile(path).verbs).map(([own, one]) => ({ name: own, verb: one, file: path }));
    });
}

export async function writeVerb(path: string, name: string, one: Verb): Promise<void> {
  const known = existsSync(path) ? readVerbFile(path).verbs : {};
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFileAtomic(path, stringify({ verbs: { ...known, [name]: one } }, { lineWidth: 120 }));
}

function readVerbFile(path: string): z.output<typeof file> {
  try {
    return file.parse(parse(readFileSync(path, "utf8")));
  } catch (cause) {
    const problem = `${path} does not describe verbs: ${cause instanceof Error ? cause.message.split("\n")[0] : cause}`;
    const next = "Remove it and learn the verb again: devflow browse learn <verb>";
    throw new DevflowError("input_invalid", { details: { problem, next }, cause });
  }
}
