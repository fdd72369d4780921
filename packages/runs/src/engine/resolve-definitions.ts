/**
 * What a run is made of: its template, the personas that may play its roles, and the artifact schemas that it names.
 *
 * - `resolveDefinitions(context, wanted)` all of it. Definitions come from this machine (shipped, or in the person's home)
 *   and from the `.devflow/` folder of the repository at the run's base commit.
 * - `storeDefinitions(tx, resolved)` stores what came from the repository; returns the template's row.
 *
 * Rules:
 * - One id means one content. A repository that defines an id of this machine differently is refused.
 * - A name without a version means its newest version, wherever it comes from.
 * - A repository's personas play the roles of its own templates. In other templates they play only if an override names
 *   them: a repository must not decide how your other agents work.
 * - The repository's definitions are read only if the run uses one of them, and then all of them have to be valid.
 */
import { DevflowError } from "@devflow/core/errors";
import { hash } from "@devflow/core/hash";
import type { Transaction } from "@devflow/db";
import { schemaIds, schemasWith } from "../artifacts/index.ts";
import {
  type Definition,
  definitionsInvalid,
  documentsOf,
  listRepositoryDefinitions,
  loadHomeSchemas,
  loadRepositoryDefinitions,
  type RepositoryDefinitions,
  type RepositoryFile,
  type SchemaFile,
} from "../definitions/index.ts";
import { loadPersonas } from "../personas/load-personas.ts";
import type { Persona } from "../personas/persona.ts";
import { personaHash, personaId } from "../personas/persona.ts";
import { Template, templateId } from "../templates/index.ts";
import type { EngineContext } from "./context.ts";
import type { RunStartInput } from "./run-engine.ts";

type Context = Pick<EngineContext, "database" | "env" | "home">;

export interface WantedDefinitions extends Pick<RunStartInput, "template" | "overrides"> {
  /** Undefined when it is not known yet; then only this machine's definitions count. */
  readonly place: { readonly repository: string; readonly commit: string } | undefined;
}

export interface ResolvedDefinitions {
  readonly template: Template;
  readonly templateHash: string;
  readonly isFromRepository: boolean;
  /** Everyone who may play a role, this machine's and the repository's. */
  readonly personas: readonly Persona[];
  /** Those of them that come from the repository. */
  readonly repositoryPersonas: readonly Definition<Persona>[];
  /** The schemas that the template names and Devflow does not ship, with those they refer to. */
  readonly schemas: Readonly<Record<string, object>>;
}

interface MachineTemplate {
  readonly hash: string;
  readonly definition: unknown;
  readonly name: string;
  readonly version: number;
}

const none: RepositoryDefinitions = { templates: [], personas: [], schemas: [] };

export async function resolveDefinitions(context: Context, wanted: WantedDefinitions): Promise<ResolvedDefinitions> {
  const machine = await machineTemplates(context);
  const files = wanted.place ? await listRepositoryDefinitions({ ...wanted.place, env: context.env }) : [];
  const id = chosenId(wanted.template, machine, files);
  const named = new Set(Object.values(wanted.overrides ?? {}).flatMap(({ persona }) => (persona ? [persona] : [])));
  const isUsed = files.some(
    (one) => isNamed(one, "templates", id) || [...named].some((who) => isNamed(one, "personas", who)),
  );
  const home = await loadHomeSchemas(context.home);
  const own =
    isUsed && wanted.place
      ? await loadRepositoryDefinitions({ ...wanted.place, env: context.env }, files, home.schemas)
      : none;
  const fromMachine = machine.find((row) => templateId(row) === id);
  const fromRepository = own.templates.find((one) => one.id === id);
  if (!fromMachine && !fromRepository) throw unknownTemplate(wanted.template, machine, files);
  refuseSecondMeaning(id, fromMachine?.hash, fromRepository);
  const template = fromMachine
    ? Template.parse(fromMachine.definition)
    : (fromRepository as Definition<Template>).value;
  const isFromRepository = fromMachine === undefined;
  const published = await loadPersonas(context.database);
  const personas = own.personas.filter((one) => isFromRepository || named.has(one.id));
  for (const one of personas) {
    const same = published.find((persona) => personaId(persona) === one.id);
    refuseSecondMeaning(one.id, same && personaHash(same), one);
  }
  const added = personas.filter((one) => !published.some((persona) => personaHash(persona) === one.hash));
  return {
    template,
    templateHash: fromMachine?.hash ?? (fromRepository as Definition<Template>).hash,
    isFromRepository,
    personas: [...published, ...added.map((one) => one.value)],
    repositoryPersonas: added,
    schemas: schemasOf(template, [...home.schemas, ...own.schemas]),
  };
}

export async function storeDefinitions(
  tx: Transaction,
  { template, templateHash, isFromRepository, repositoryPersonas }: ResolvedDefinitions,
): Promise<{ readonly templateRow: string }> {
  const rows = [
    ...(isFromRepository ? [{ table: "workflow_templates", hash: templateHash, value: template }] : []),
    ...repositoryPersonas.map(({ hash, value }) => ({ table: "agent_personas", hash, value })),
  ];
  for (const { table, hash, value } of rows) {
    await tx`
      insert into app.${tx(table)} (name, version, hash, definition, from_repository)
      values (${value.name}, ${value.version}, ${hash}, ${tx.json(value as never)}, true)
      on conflict (hash, from_repository) do nothing`;
  }
  const [row] = await tx<{ id: string }[]>`
    select id from app.workflow_templates where hash = ${templateHash} and from_repository = ${isFromRepository}`;
  if (row) return { templateRow: row.id };
  throw new DevflowError("internal_state_corruption", {
    details: { problem: `template ${templateId(template)} is not stored` },
  });
}

async function machineTemplates({ database }: Context): Promise<MachineTemplate[]> {
  return await database.asEngine(
    (tx) => tx<MachineTemplate[]>`
      select hash, definition, name, version from app.workflow_templates
      where not from_repository order by name, version desc`,
  );
}

const isNamed = (file: RepositoryFile, folder: RepositoryFile["folder"], id: string): boolean =>
  file.folder === folder && file.id === id;

/** `name@version`; for a name alone, its newest version. */
function chosenId(wanted: string, machine: readonly MachineTemplate[], files: readonly RepositoryFile[]): string {
  if (wanted.includes("@")) return wanted;
  const ids = [...machine.map(templateId), ...files.filter((one) => one.folder === "templates").map((one) => one.id)];
  const versions = ids.flatMap((id) => {
    const [name, version = ""] = id.split("@", 2);
    return name === wanted && /^\d+$/.test(version) ? [Number(version)] : [];
  });
  return `${wanted}@${Math.max(0, ...versions)}`;
}

function refuseSecondMeaning(id: string, published: string | undefined, own: Definition<unknown> | undefined): void {
  if (published === undefined || own === undefined || published === own.hash) return;
  const reason = `${id} is already defined on this machine with different content; give the repository's a new name or version`;
  const refused = [{ file: own.source, faults: [{ path: "", line: undefined, reason }] }];
  throw definitionsInvalid("The definitions in the repository's .devflow folder", refused);
}

function unknownTemplate(
  wanted: string,
  machine: readonly MachineTemplate[],
  files: readonly RepositoryFile[],
): DevflowError {
  const own = files.filter((one) => one.folder === "templates").map((one) => `${one.id} (repository)`);
  const known = [...machine.map(templateId), ...own].join(", ");
  return new DevflowError("not_found", {
    details: { what: `Template ${wanted}`, next: `Known templates: ${known}. See: devflow template list` },
  });
}

/** All of a run's own schemas when it names one of them: they may refer to one another. */
function schemasOf(template: Template, own: readonly SchemaFile[]): Record<string, object> {
  const named = template.phases.flatMap(({ expectedArtifact }) => (expectedArtifact ? [expectedArtifact.schema] : []));
  if (named.every((id) => schemaIds.includes(id))) return {};
  const documents = documentsOf(own);
  // A schema in the home may have gone since the template was published. This says which.
  const registry = schemasWith(documents);
  for (const id of named) registry.load(id);
  return documents;
}

/** For the run's first event, so that the chain covers them. */
export const schemaHashes = (schemas: Readonly<Record<string, object>>): Record<string, string> =>
  Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, hash(schema)]));
