/**
 * `readPrompts(given, files)` the prompts of a suite: texts, conversations, and files with one or several prompts.
 */
import { extname } from "node:path";
import { parse } from "csv-parse/sync";
import { splitReference } from "../assertions/index.ts";
import { wordsOf } from "../providers/command.ts";
import { isMembers, SuiteFault, type SuitePrompt, textOr } from "./suite.ts";
import type { SuiteFiles } from "./suite-files.ts";

const extensions = /\.(?:cjs|cts|js|mjs|mts|ts|json|jsonl|md|py|txt|ya?ml|csv|j2|sh|bash|rb|pl|exe)$/;
const globbing = /[*?{}[\]]/;

export async function readPrompts(given: unknown, files: SuiteFiles): Promise<SuitePrompt[]> {
  const listed = Array.isArray(given) ? (given as unknown[]) : isMembers(given) ? labelled(given) : [given];
  const prompts: SuitePrompt[] = [];
  for (const one of listed) {
    const found = await readPrompt(one, files);
    if (found.length === 0) throw new SuiteFault(`there are no prompts in ${JSON.stringify(one)}`);
    prompts.push(...found);
  }
  return prompts;
}

/** The old form: from the prompt to its label. */
const labelled = (given: Readonly<Record<string, unknown>>): unknown[] =>
  "raw" in given || "id" in given ? [given] : Object.entries(given).map(([raw, label]) => ({ raw, label }));

async function readPrompt(given: unknown, files: SuiteFiles): Promise<SuitePrompt[]> {
  if (typeof given === "string") return await fromText({ raw: given }, files);
  if (Array.isArray(given)) return [{ raw: JSON.stringify(given), label: JSON.stringify(given) }];
  if (!isMembers(given)) throw new SuiteFault(`a prompt must be a text or an object, not ${JSON.stringify(given)}`);
  const raw = given.raw ?? given.id;
  if (raw === undefined) return [{ raw: JSON.stringify(given), label: JSON.stringify(given) }];
  const config = isMembers(given.config) ? given.config : undefined;
  const about = { label: textOr(given.label), id: textOr(given.id), config };
  if (typeof raw !== "string")
    return [{ ...about, raw: JSON.stringify(raw), label: about.label ?? JSON.stringify(raw) }];
  return await fromText({ raw, ...about }, files);
}

interface Given {
  readonly raw: string;
  readonly label?: string | undefined;
  readonly id?: string | undefined;
  readonly config?: Readonly<Record<string, unknown>> | undefined;
}

async function fromText(given: Given, files: SuiteFiles): Promise<SuitePrompt[]> {
  const { raw, label, config } = given;
  const literal: SuitePrompt = { ...given, label: label ?? raw };
  if (raw.startsWith("exec:")) return [{ ...literal, command: wordsOf(raw.slice(5)) }];
  if (raw.includes("\n") || /^(?:portkey|langfuse|helicone):\/\//.test(raw)) return [literal];
  const { path, name } = splitReference(raw, files.folder);
  if (await files.isFile(path)) return await fromFile(path, name, { label, config }, files);
  const isReference = raw.startsWith("file://");
  if (!isReference && !globbing.test(raw) && !(await files.isFolder(path))) {
    if (extensions.test(raw) && !raw.includes(" ")) throw new SuiteFault(`the prompt file ${raw} does not exist`);
    return [literal];
  }
  const pattern = (await files.isFolder(path)) ? `${path}/*` : raw;
  const matched = await files.matching(pattern);
  if (matched.length === 0 && isReference) throw new SuiteFault(`${raw} matches no file`);
  if (matched.length === 0) return [literal];
  const all: SuitePrompt[] = [];
  for (const file of matched) all.push(...(await fromFile(file, name, {}, files)));
  return all;
}

async function fromFile(
  path: string,
  name: string | undefined,
  { label, config }: Pick<Given, "label" | "config">,
  files: SuiteFiles,
): Promise<SuitePrompt[]> {
  const shown = files.shown(path);
  const kind = extname(path).toLowerCase();
  if (/^\.(?:sh|bash|rb|pl|exe)$/.test(kind)) {
    return [{ raw: await files.text(path), label: label ?? shown, config, command: [path] }];
  }
  const text = await files.text(path);
  if (/^\.[cm]?[jt]s$/.test(kind)) {
    return [{ raw: text, label: label ?? (name ? `${shown}:${name}` : shown), config, script: { path, name } }];
  }
  if (kind === ".py") {
    const title = label ?? (name ? `${shown}:${name}` : `${shown}: ${text}`);
    return [
      { raw: text, label: title, config, ...(name ? { script: { path, name } } : { command: ["python3", path] }) },
    ];
  }
  if (kind === ".csv") return fromCsv(text, label, config);
  if (kind === ".jsonl") {
    const lines = text.split(/\r?\n/).filter((line) => line.length > 0);
    const base = label ?? shown;
    return lines.map((raw) => ({ raw, label: lines.length > 1 ? `${base}: ${raw}` : base, config }));
  }
  if (kind === ".json" || kind === ".yaml" || kind === ".yml") {
    const raw = JSON.stringify(await files.data(path));
    return [{ raw, label: label ?? `${shown}: ${kind === ".json" ? raw : raw.slice(0, 80)}`, config }];
  }
  if (kind === ".md" || kind === ".j2")
    return [{ raw: text, label: label ?? `${shown}: ${text.slice(0, 50)}...`, config }];
  // A text file holds several prompts, separated by lines of three dashes.
  return text
    .split(/^[ \t]*---[ \t]*$/m)
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .map((raw) => ({ raw, label: label ? `${label}: ${shown}: ${raw}` : `${shown}: ${raw}`, config }));
}

function fromCsv(text: string, label: string | undefined, config: Given["config"]): SuitePrompt[] {
  const rows = text.includes(",")
    ? (
        parse(text, { columns: true, bom: true, relax_quotes: true, skip_empty_lines: true, trim: true }) as Record<
          string,
          string
        >[]
      )
        .filter((row) => row.prompt)
        .map((row) => ({ raw: row.prompt as string, own: row.label }))
    : text
        .split(/\r?\n/)
        .filter((line) => line.trim() !== "")
        .filter((line, index) => index > 0 || line.trim().toLowerCase() !== "prompt")
        .map((raw) => ({ raw, own: undefined }));
  return rows.map(({ raw, own }, index) => ({
    raw,
    label: own || (label ? (rows.length > 1 ? `${label}: ${raw}` : label) : `Prompt ${index + 1} - ${raw}`),
    config,
  }));
}
