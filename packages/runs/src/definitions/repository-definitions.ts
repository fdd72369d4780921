/**
 * The templates, personas and artifact schemas of a repository, from its `.devflow/` folder at a commit. The folder in a
 * worktree is never read: an agent could write its own rules there.
 *
 * - `listRepositoryDefinitions(place)` what the commit has, by the names of the files; reads no content.
 * - `loadRepositoryDefinitions(place, files, homeSchemas)` all of it, or one error with every problem in every file.
 */
import { posix } from "node:path";
import { hash } from "@devflow/core/hash";
import { type GitOptions, git } from "@devflow/git";
import type { Persona } from "../personas/persona.ts";
import type { Template } from "../templates/index.ts";
import { definitionsInvalid } from "./definitions-invalid.ts";
import { type Definition, readPersonaText, readTemplateText } from "./registry.ts";
import { judgeSchemas, type RefusedFile, readSchemaFile, type SchemaFile } from "./schema-file.ts";

export interface RepositoryPlace extends Pick<GitOptions, "env" | "signal"> {
  readonly repository: string;
  readonly commit: string;
}

const folders = ["templates", "personas", "schemas"] as const;
type Folder = (typeof folders)[number];

export interface RepositoryFile {
  readonly folder: Folder;
  /** Relative to its folder. */
  readonly name: string;
  /** `name@version`, as the file claims. */
  readonly id: string;
  /** `.devflow/templates/mine@1.yaml`. */
  readonly path: string;
  readonly object: string;
  readonly bytes: number;
  readonly isPlain: boolean;
}

export interface RepositoryDefinitions {
  readonly templates: readonly Definition<Template>[];
  readonly personas: readonly Definition<Persona>[];
  readonly schemas: readonly SchemaFile[];
}

const maxFileBytes = 1024 * 1024;
const mostFiles = 500;

export async function listRepositoryDefinitions({
  repository,
  commit,
  ...rest
}: RepositoryPlace): Promise<RepositoryFile[]> {
  const listed = await git(["ls-tree", "--full-tree", "-r", "-l", "-z"], {
    ...rest,
    cwd: repository,
    revisions: [commit],
    paths: folders.map((folder) => `.devflow/${folder}`),
  });
  return listed.stdout.split("\0").flatMap((line): RepositoryFile[] => {
    const [, mode = "", object = "", size = "", path = ""] = /^(\d+) \w+ ([0-9a-f]+) +(\S+)\t(.+)$/s.exec(line) ?? [];
    const [, folder, name = ""] = /^\.devflow\/(templates|personas|schemas)\/(.+)$/s.exec(path) ?? [];
    const isDefinition = folder === "schemas" ? /\.json$/.test(name) : /^[^./][^/]*\.ya?ml$/.test(name);
    if (folder === undefined || !isDefinition) return [];
    const id = name.replace(/\.(json|ya?ml)$/, "");
    return [{ folder: folder as Folder, name, id, path, object, bytes: Number(size), isPlain: mode.startsWith("100") }];
  });
}

export async function loadRepositoryDefinitions(
  place: RepositoryPlace,
  files: readonly RepositoryFile[],
  homeSchemas: readonly SchemaFile[] = [],
): Promise<RepositoryDefinitions> {
  const refused: RefusedFile[] = [];
  const texts = new Map<RepositoryFile, string>();
  for (const file of files) {
    const problem = unreadable(file, files.length);
    if (problem) refused.push(fault(sourceOf(file, place), problem));
    else texts.set(file, await contentOf(file, place));
  }
  const all = (folder: Folder) => [...texts].filter(([file]) => file.folder === folder);
  const schemas: SchemaFile[] = [];
  for (const [file, text] of all("schemas")) {
    const read = readSchemaFile(file.name, text, sourceOf(file, place));
    if ("ok" in read) refused.push(read);
    else if (homeSchemas.some((one) => one.id === read.id && hash(one.document) !== hash(read.document)))
      refused.push(fault(read.source, `${read.id} is already defined in your home with different content`));
    else schemas.push(read);
  }
  refused.push(
    ...judgeSchemas([...homeSchemas, ...schemas]).filter(({ file }) => schemas.some((one) => one.source === file)),
  );
  const schemaIds = [...homeSchemas, ...schemas].map(({ id }) => id);
  const templates = all("templates").map(([file, text]) =>
    readTemplateText(posix.basename(file.name), text, sourceOf(file, place), schemaIds),
  );
  const personas = all("personas").map(([file, text]) =>
    readPersonaText(posix.basename(file.name), text, sourceOf(file, place)),
  );
  for (const one of [...templates, ...personas]) if (!one.ok) refused.push(one);
  if (refused.length > 0) throw definitionsInvalid("The definitions in the repository's .devflow folder", refused);
  return {
    templates: templates.flatMap((one) => (one.ok ? [one.definition] : [])),
    personas: personas.flatMap((one) => (one.ok ? [one.definition] : [])),
    schemas,
  };
}

function unreadable({ isPlain, bytes }: RepositoryFile, count: number): string | undefined {
  if (!isPlain) return "it is a link, not a file";
  if (bytes > maxFileBytes) return `it has ${bytes} bytes; the limit is ${maxFileBytes}`;
  return count > mostFiles ? `the repository has ${count} definitions; the limit is ${mostFiles}` : undefined;
}

async function contentOf(
  { object }: RepositoryFile,
  { repository, commit: _, ...rest }: RepositoryPlace,
): Promise<string> {
  const options = { ...rest, cwd: repository, maxOutput: 2 * maxFileBytes };
  return (await git(["cat-file", "blob", object], options)).stdout;
}

const sourceOf = ({ path }: RepositoryFile, { commit }: RepositoryPlace): string => `${path} (${commit.slice(0, 12)})`;

const fault = (file: string, reason: string): RefusedFile => ({
  ok: false,
  file,
  faults: [{ path: "", line: undefined, reason }],
});
