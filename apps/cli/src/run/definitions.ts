/**
 * `devflow template …`, `devflow persona …` and `devflow schema …`: the definitions of this machine and of the repository.
 * Only `seed` needs a server.
 */
import { basename, resolve } from "node:path";
import type { CommandContext, CommandHandler, HandlerOf, InputOf } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { DefinitionFileFault } from "@devflow/protocol";
import {
  type Definition,
  type FileVerdict,
  knownDefinitions,
  loadFailed,
  ownSchemaIds,
  personaView,
  type Refusal,
  shownFaults,
  templateView,
  validatePersonaFile,
  validateSchemaFile,
  validateTemplateFile,
} from "@devflow/runs";
import { z } from "zod";
import { textTable } from "../text-table.ts";
import type {
  personaShowRecord,
  personaValidateRecord,
  schemaValidateRecord,
  templateShowRecord,
  templateValidateRecord,
} from "./definition-commands.ts";
import { connectRuns } from "./runs-client.ts";

/** What is wrong in the home or in the repository is said, and the rest is listed. */
async function known({ config, cwd, env, output }: CommandContext) {
  const found = await knownDefinitions({ home: config().home, cwd, env });
  if (found.fault) output.note(found.fault.message);
  for (const { file, faults } of found.refused)
    output.note(`Ignored, because it is not valid:\n${shownFaults(file, faults)}`);
  return found;
}

export const listTemplates: CommandHandler = async (_input, context) => {
  const { templates, refused } = await known(context);
  const rows = templates.map(({ id, value, source }) => [
    id,
    value.phases.map((phase) => phase.key).join(" → "),
    agentsOf(value.roles),
    source,
  ]);
  const views = templates.map(({ value, hash, source }) => ({ ...templateView(value, hash), source }));
  const titles = ["TEMPLATE", "PHASES", "AGENTS", "FROM"].map((title) => ({ title }));
  context.output.result({ templates: views, faults: refused }, textTable(titles, rows));
};

const agentsOf = (roles: readonly { readonly preferredBackends: readonly string[] }[]): string =>
  [...new Set(roles.flatMap((role) => role.preferredBackends))].join(", ") || "any";

export const listPersonas: CommandHandler = async (_input, context) => {
  const { personas, refused } = await known(context);
  const rows = personas.map(({ id, value, source }) => [
    id,
    value.backend,
    value.maxRiskLevel,
    value.capabilities.join(", "),
    source,
  ]);
  const titles = ["PERSONA", "BACKEND", "RISK", "CAPABILITIES", "FROM"].map((title) => ({ title }));
  const views = personas.map(({ value, hash, source }) => ({ ...personaView(value, hash), source }));
  context.output.result({ personas: views, faults: refused }, textTable(titles, rows));
};

export const showTemplate: HandlerOf<typeof templateShowRecord> = async ({ name }, context) => {
  const { templates, refused } = await known(context);
  const { id, hash, value, text, source } = found("template", templates, refused, name);
  context.output.result({ ...value, id, hash, source }, `# ${id}, ${source}, hash ${hash}\n${text}`);
};

export const showPersona: HandlerOf<typeof personaShowRecord> = async ({ name }, context) => {
  const { personas, refused } = await known(context);
  const { id, hash, value, text, source } = found("persona", personas, refused, name);
  context.output.result({ ...value, id, hash, source }, `# ${id}, ${source}, hash ${hash}\n${text}`);
};

/** `name@version`, or a name for its newest version. */
function found<T extends { name: string; version: number }>(
  kind: "template" | "persona",
  definitions: readonly Definition<T>[],
  refused: readonly Refusal[],
  wanted: string,
): Definition<T> {
  const fitting = definitions
    .filter((one) => one.id === wanted || one.value.name === wanted)
    .sort((a, b) => b.value.version - a.value.version);
  if (fitting[0]) return fitting[0];
  const broken = refused.filter(({ file }) => basename(file).split("@")[0] === wanted.split("@")[0]);
  if (broken.length > 0) throw loadFailed(broken);
  throw new DevflowError("not_found", {
    details: { what: `The ${kind} ${wanted}`, next: `List them: devflow ${kind} list` },
  });
}

type FilesInput = InputOf<typeof templateValidateRecord>;

export const validateTemplates: HandlerOf<typeof templateValidateRecord> = ({ files }, context) =>
  validate(
    files,
    async (file) => validateTemplateFile(file, await ownSchemaIds({ home: context.config().home, file })),
    context,
  );
export const validatePersonas: HandlerOf<typeof personaValidateRecord> = ({ files }, context) =>
  validate(files, validatePersonaFile, context);

/** Every error of every file at once, with its line. */
async function validate(
  files: readonly string[],
  judge: (path: string) => Promise<FileVerdict<unknown>>,
  { cwd, output }: Parameters<CommandHandler<FilesInput>>[1],
): Promise<number> {
  const verdicts = await Promise.all(files.map((file) => judge(resolve(cwd, file))));
  const ok = verdicts.every((one) => one.ok);
  const shown = verdicts.map((one) =>
    one.ok ? `${one.definition.source}: valid, ${one.definition.id}` : shownFaults(one.file, one.faults),
  );
  const answers = verdicts.map((one) =>
    one.ok
      ? { file: one.definition.source, ok: true, id: one.definition.id, hash: one.definition.hash }
      : { file: one.file, ok: false, faults: one.faults },
  );
  output.result({ ok, files: answers }, shown.join("\n"));
  return ok ? 0 : 65;
}

export const listSchemas: CommandHandler = async (_input, context) => {
  const { schemas } = await known(context);
  const rows = schemas.map(({ id, title, source }) => [id, title, source]);
  const views = schemas.map(({ id, title, source }) => ({ id, title, source }));
  const titles = ["SCHEMA", "TITLE", "FROM"].map((title) => ({ title }));
  context.output.result({ schemas: views }, textTable(titles, rows));
};

/** Warnings do not make a schema invalid. */
export const validateSchemas: HandlerOf<typeof schemaValidateRecord> = async ({ files }, { cwd, output }) => {
  const verdicts = await Promise.all(files.map((file) => validateSchemaFile(resolve(cwd, file))));
  const ok = verdicts.every((one) => one.ok);
  const shown = verdicts.flatMap((one) =>
    one.ok
      ? [`${one.file}: valid, ${one.id}`, ...one.warnings.map((warning) => `${one.file}: warning: ${warning}`)]
      : [shownFaults(one.file, one.faults)],
  );
  output.result({ ok, files: verdicts }, shown.join("\n"));
  return ok ? 0 : 65;
};

const Seeded = z.object({
  inserted: z.array(z.string()),
  removed: z.array(z.string()),
  kept: z.array(z.string()),
  faults: z.array(DefinitionFileFault),
});

export const seed: CommandHandler = async (_input, context) => {
  const client = await connectRuns(context);
  const result = await client.post("/api/templates/seed", {}, Seeded);
  const fresh = result.inserted.length > 0 ? `New: ${result.inserted.join(", ")}.` : "Nothing new.";
  const kept = result.kept.length > 0 ? `\nKept without a local file: ${result.kept.join(", ")}.` : "";
  for (const { problem } of result.faults) context.output.note(`Ignored, because it is not valid:\n${problem}`);
  context.output.result(result, `${fresh}${kept}`);
};
