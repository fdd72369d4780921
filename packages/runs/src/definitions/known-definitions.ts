/**
 * Everything that a run in this folder could be started with: shipped, in the home, and in the repository's newest commit.
 *
 * - `knownDefinitions({ home, cwd, env })` all of it, each with its source. What is wrong in the repository is returned
 *   beside it, because it affects only the repository's own templates.
 * - `ownSchemaIds(place)` the ids of the schemas beside a template file, for checking it before it is committed.
 */
import { basename, dirname } from "node:path";
import type { Environment } from "@devflow/core/config";
import { DevflowError } from "@devflow/core/errors";
import { git, repositoryRoot } from "@devflow/git";
import { loadSchema, schemaIds } from "../artifacts/index.ts";
import { loadHomeSchemas } from "./home-schemas.ts";
import { type Definitions, type Refusal, readDefinitions } from "./registry.ts";
import { listRepositoryDefinitions, loadRepositoryDefinitions } from "./repository-definitions.ts";

export interface KnownSchema {
  readonly id: string;
  readonly title: string;
  /** The file, or `shipped`. */
  readonly source: string;
  readonly document: object;
}

export interface KnownDefinitions extends Definitions {
  readonly schemas: readonly KnownSchema[];
  /** Files of the home that are not valid. */
  readonly refused: readonly Refusal[];
  /** Why the repository's own definitions cannot be used. */
  readonly fault: DevflowError | undefined;
}

interface Place {
  readonly home: string;
  readonly cwd: string;
  readonly env: Environment;
}

export async function knownDefinitions(place: Place): Promise<KnownDefinitions> {
  const machine = await readDefinitions(place);
  const home = await loadHomeSchemas(place.home);
  const own = await ofRepository(place, home.schemas);
  const fault = own instanceof DevflowError ? own : undefined;
  const { templates, personas, schemas } = own instanceof DevflowError ? none : own;
  const byId = <T extends { id: string }>(all: readonly T[]) => [...all].sort((a, b) => (a.id < b.id ? -1 : 1));
  // One that the machine has too is the machine's; with another content, starting it is refused.
  const added = <T extends { id: string }>(theirs: readonly T[], ours: readonly T[]) =>
    theirs.filter((one) => !ours.some((other) => other.id === one.id));
  return {
    templates: byId([...machine.templates, ...added(templates, machine.templates)]),
    personas: byId([...machine.personas, ...added(personas, machine.personas)]),
    schemas: byId([
      ...schemaIds.map((id) => schemaView({ id, source: "shipped", document: loadSchema(id) })),
      ...[...home.schemas, ...added(schemas, home.schemas)].map(schemaView),
    ]),
    refused: machine.refused,
    fault,
  };
}

const none = { templates: [], personas: [], schemas: [] };

const schemaView = (one: Omit<KnownSchema, "title">): KnownSchema => ({
  ...one,
  title: String((one.document as { title?: unknown }).title ?? ""),
});

async function ofRepository({ cwd, env }: Place, homeSchemas: Awaited<ReturnType<typeof loadHomeSchemas>>["schemas"]) {
  try {
    const repository = await repositoryRoot({ cwd, env });
    if (repository === undefined) return none;
    const head = await git(["rev-parse", "--verify", "--quiet"], {
      cwd: repository,
      env,
      revisions: ["HEAD"],
      answers: [0, 1],
    });
    const commit = head.stdout.trim();
    if (commit === "") return none;
    const place = { repository, commit, env };
    return await loadRepositoryDefinitions(place, await listRepositoryDefinitions(place), homeSchemas);
  } catch (error) {
    if (error instanceof DevflowError) return error.code === "git_missing" ? none : error;
    throw error;
  }
}

export async function ownSchemaIds({
  home,
  file,
}: {
  readonly home: string;
  readonly file: string;
}): Promise<string[]> {
  const isAmongOthers = basename(dirname(file)) === "templates";
  const roots = [home, ...(isAmongOthers ? [dirname(dirname(file))] : [])];
  const loaded = await Promise.all(roots.map(loadHomeSchemas));
  return loaded.flatMap(({ schemas }) => schemas.map(({ id }) => id));
}
