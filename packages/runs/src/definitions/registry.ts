/**
 * The templates and personas known on this machine: those that Devflow ships and those in the user's home.
 *
 * - `readDefinitions({ home })` every valid one, and the files that are not valid with their problems.
 * - `validateTemplateFile(path)`, `validatePersonaFile(path)` one file, for `devflow template validate`.
 * - `shippedDefinitions()` those compiled in.
 */
import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { DevflowError } from "@devflow/core/errors";
import { hash } from "@devflow/core/hash";
import { stringify } from "yaml";
import { Persona, personaHash, personaId } from "../personas/persona.ts";
import { Template, templateHash, templateId } from "../templates/index.ts";
import { personaOf } from "./backend-definition.ts";
import { templateFaults } from "./check-template.ts";
import { loadHomeSchemas } from "./home-schemas.ts";
import { type OwnBackend, readBackends } from "./read-backends.ts";
import { type DefinitionFault, type DefinitionResult, readDefinition, shownFaults } from "./read-definition.ts";
import { readText } from "./read-text.ts";
import { shippedPersonas, shippedTemplates } from "./shipped-definitions.ts";

/** A published definition: its content never changes under its id, and the hash proves it. */
export interface Definition<T> {
  /** `name@version`. */
  readonly id: string;
  readonly hash: string;
  readonly value: T;
  /** The file, or `shipped`. */
  readonly source: string;
  readonly text: string;
}

export interface Definitions {
  readonly templates: readonly Definition<Template>[];
  readonly personas: readonly Definition<Persona>[];
}

/** A file that is not used, and why. */
export interface Refusal {
  readonly file: string;
  readonly faults: readonly DefinitionFault[];
}

export interface ReadDefinitions extends Definitions {
  readonly refused: readonly Refusal[];
}

export type FileVerdict<T> =
  | { readonly ok: true; readonly definition: Definition<T> }
  | { readonly ok: false; readonly file: string; readonly faults: readonly DefinitionFault[] };

interface Kind<T> {
  readonly folder: "templates" | "personas";
  read(fileName: string, text: string): DefinitionResult<T>;
  id(value: T): string;
  hash(value: T): string;
}

const templateKindWith = (ownSchemas: readonly string[]): Kind<Template> => ({
  folder: "templates",
  read: (name, text) => readDefinition(Template, name, text, (template) => templateFaults(template, ownSchemas)),
  id: templateId,
  hash: templateHash,
});
const templateKind = templateKindWith([]);

const personaKind: Kind<Persona> = {
  folder: "personas",
  read: (name, text) => readDefinition(Persona, name, text, unhashable),
  id: personaId,
  hash: personaHash,
};

export async function readDefinitions({ home }: { readonly home: string }): Promise<ReadDefinitions> {
  const own = await loadHomeSchemas(home);
  const templates = await readKind(templateKindWith(own.schemas.map(({ id }) => id)), shippedTemplates, home);
  const personas = await readKind(personaKind, shippedPersonas, home);
  const backends = await readBackends(home);
  const refused = [...own.refused, ...templates.refused, ...personas.refused, ...backends.refused];
  const all = [...personas.definitions, ...backends.backends.map(personaOfBackend)];
  return { templates: templates.definitions, personas: all, refused };
}

/** An agent of one's own can play roles without a persona file. */
function personaOfBackend({ definition, file }: OwnBackend): Definition<Persona> {
  const value = personaOf(definition);
  return { id: personaId(value), hash: personaHash(value), value, source: file, text: stringify(value) };
}

/** The text of one file; `ownSchemas` are the ids that it may name besides the shipped ones. */
export const readTemplateText = (
  name: string,
  text: string,
  source: string,
  ownSchemas: readonly string[],
): FileVerdict<Template> => judge(templateKindWith(ownSchemas), name, text, source);
export const readPersonaText = (name: string, text: string, source: string): FileVerdict<Persona> =>
  judge(personaKind, name, text, source);

export function shippedDefinitions(): Definitions {
  const all = <T>(kind: Kind<T>, texts: Readonly<Record<string, string>>) =>
    Object.entries(texts).map(([name, text]) => {
      const verdict = judge(kind, name, text, "shipped");
      if (!verdict.ok) throw loadFailed([verdict]);
      return verdict.definition;
    });
  return { templates: all(templateKind, shippedTemplates), personas: all(personaKind, shippedPersonas) };
}

export const validateTemplateFile = (
  path: string,
  ownSchemas: readonly string[] = [],
): Promise<FileVerdict<Template>> => validateFile(templateKindWith(ownSchemas), path);
export const validatePersonaFile = (path: string): Promise<FileVerdict<Persona>> => validateFile(personaKind, path);

export function loadFailed(refused: readonly Refusal[]): DevflowError {
  const files = [...new Set(refused.map(({ file }) => file))];
  return new DevflowError("template_load_failed", {
    details: {
      file: files.join(" "),
      faults: refused.map(({ file, faults }) => shownFaults(file, faults)).join("\n"),
    },
  });
}

async function readKind<T>(kind: Kind<T>, shipped: Readonly<Record<string, string>>, home: string) {
  const verdicts = Object.entries(shipped).map(([name, text]) => judge(kind, name, text, "shipped"));
  for (const path of await filesIn(join(home, kind.folder))) verdicts.push(await validateFile(kind, path));
  const byId = new Map<string, Definition<T>>();
  const refused: Refusal[] = [];
  for (const verdict of verdicts) {
    if (!verdict.ok) {
      refused.push({ file: verdict.file, faults: verdict.faults });
      continue;
    }
    const { definition } = verdict;
    const first = byId.get(definition.id);
    if (!first) byId.set(definition.id, definition);
    else if (first.hash !== definition.hash) {
      const reason = `${definition.id} is already defined (${first.source}) with different content; a published version never changes, so give this one a new name or version`;
      refused.push({ file: definition.source, faults: [{ path: "version", line: undefined, reason }] });
    }
  }
  const definitions = [...byId.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  return { definitions, refused };
}

/** Definitions end in .yaml; a .yml would be ignored silently, so it is read and its name reported. */
async function filesIn(folder: string): Promise<string[]> {
  try {
    const names = await readdir(folder);
    return names
      .filter((name) => /^[^.].*\.ya?ml$/.test(name))
      .sort()
      .map((name) => join(folder, name));
  } catch (error) {
    if ((error as { code?: string }).code === "ENOENT") return [];
    throw error;
  }
}

async function validateFile<T>(kind: Kind<T>, path: string): Promise<FileVerdict<T>> {
  const text = await readText(path);
  if (typeof text === "string") return judge(kind, basename(path), text, path);
  return { ok: false, file: path, faults: [{ path: "", line: undefined, reason: text.reason }] };
}

function judge<T>(kind: Kind<T>, name: string, text: string, source: string): FileVerdict<T> {
  const result = kind.read(name, text);
  if (!result.ok) return { ok: false, file: source === "shipped" ? name : source, faults: result.faults };
  const { value } = result;
  return { ok: true, definition: { id: kind.id(value), hash: kind.hash(value), value, source, text } };
}

/** YAML allows values that cannot be hashed: `.nan`, a lone surrogate. */
function unhashable(persona: Persona): { path: string[]; message: string }[] {
  try {
    hash(persona);
    return [];
  } catch (error) {
    return [{ path: ["modelConfig"], message: (error as Error).message }];
  }
}
