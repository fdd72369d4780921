/**
 * Files of a suite.
 *
 * - `SuiteFiles` reads YAML, JSON, JSON lines and text within limits, matches globs, and calls scripts.
 * - `withReferences(value)` replaces `$ref: '#/…'` by what it points to in the same document.
 */
import { glob, readFile, stat } from "node:fs/promises";
import { extname, isAbsolute, relative, resolve } from "node:path";
import { parse } from "yaml";
import { callFile, isJavaScript, splitReference } from "../assertions/index.ts";
import { CodeFailure, CodeLimit, type CodePool } from "../code/index.ts";
import { type ParseYaml, quickYaml } from "./quick-yaml.ts";
import { isMembers, SuiteFault } from "./suite.ts";

const maxBytes = 256 * 1024 * 1024;
const maxFiles = 10_000;

export interface SuiteFilesOptions {
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly code: CodePool;
  readonly signal: AbortSignal;
  /** A fast parser for large files; without it the library reads them all. */
  readonly parseYaml?: ParseYaml | undefined;
}

export class SuiteFiles {
  readonly folder: string;
  readonly options: SuiteFilesOptions;

  constructor(options: SuiteFilesOptions) {
    this.folder = options.folder;
    this.options = options;
  }

  shown(path: string): string {
    const short = relative(this.folder, path);
    return short === "" || short.startsWith("..") ? path : short;
  }

  path(reference: string, base = this.folder): string {
    return resolve(base, reference.replace(/^file:\/\//, ""));
  }

  async isFile(path: string): Promise<boolean> {
    return (await stat(path).catch(() => undefined))?.isFile() === true;
  }

  async isFolder(path: string): Promise<boolean> {
    return (await stat(path).catch(() => undefined))?.isDirectory() === true;
  }

  /** Sorted, so that a suite has one order on every machine. */
  async matching(pattern: string, base = this.folder): Promise<string[]> {
    const bare = pattern.replace(/^file:\/\//, "");
    const found: string[] = [];
    const cwd = isAbsolute(bare) ? "/" : base;
    for await (const one of glob(isAbsolute(bare) ? bare.slice(1) : bare, { cwd })) {
      found.push(resolve(cwd, one));
      if (found.length > maxFiles) throw new SuiteFault(`${pattern} matches more than ${maxFiles} files`);
    }
    return found.sort();
  }

  async text(path: string): Promise<string> {
    const facts = await stat(path).catch(() => undefined);
    if (!facts?.isFile()) throw new SuiteFault(`${this.shown(path)} does not exist`);
    if (facts.size > maxBytes) throw new SuiteFault(`${this.shown(path)} is larger than ${maxBytes} bytes`);
    return (await readFile(path, "utf8")).replace(/^\ufeff/, "");
  }

  /** YAML, JSON or JSON lines; other files are text. */
  async data(path: string): Promise<unknown> {
    const text = await this.text(path);
    const kind = extname(path).toLowerCase();
    if (kind === ".jsonl") return jsonLines(text, this.shown(path));
    if (![".yaml", ".yml", ".json"].includes(kind)) return text.trim();
    try {
      if (kind === ".json") return JSON.parse(text) as unknown;
      const { parseYaml } = this.options;
      const quick = parseYaml && quickYaml(text, parseYaml);
      return quick ?? (parse(text, { merge: true, maxAliasCount: 10_000, logLevel: "error" }) as unknown);
    } catch (error) {
      throw new SuiteFault(`${this.shown(path)} cannot be read: ${(error as Error).message.split("\n")[0]}`);
    }
  }

  isScript(reference: string): boolean {
    const { path } = splitReference(reference, this.folder);
    return isJavaScript(path) || /\.(?:py|rb)$/.test(path);
  }

  /** What a script's function returns; its file may also export the value itself. */
  async call(reference: string, usualName: string, args: readonly unknown[], base = this.folder): Promise<unknown> {
    const at = splitReference(reference, base);
    if (!(await this.isFile(at.path))) throw new SuiteFault(`${this.shown(at.path)} does not exist`);
    try {
      const called = await callFile(at, usualName, this.options, args);
      if (!called) throw new SuiteFault(`${this.shown(at.path)} is not a script`);
      return called.value;
    } catch (error) {
      if (error instanceof CodeFailure || error instanceof CodeLimit) {
        throw new SuiteFault(`${this.shown(at.path)} failed: ${error.message}`);
      }
      throw error;
    }
  }
}

function jsonLines(text: string, file: string): unknown[] {
  return text.split("\n").flatMap((line, index) => {
    if (line.trim() === "") return [];
    try {
      return [JSON.parse(line) as unknown];
    } catch (error) {
      throw new SuiteFault(`${file}:${index + 1} is not JSON: ${(error as Error).message}`);
    }
  });
}

const maxDepth = 100;

export function withReferences(root: unknown): unknown {
  if (!hasReference(root, 0)) return root;
  const resolved = (value: unknown, depth: number): unknown => {
    if (depth > maxDepth) throw new SuiteFault("a $ref leads back to itself, or the suite is nested too deeply");
    if (Array.isArray(value)) return value.map((one) => resolved(one, depth + 1));
    if (!isMembers(value)) return value;
    const { $ref, ...rest } = value;
    if (typeof $ref !== "string") {
      return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, resolved(member, depth + 1)]));
    }
    if (!$ref.startsWith("#/")) throw new SuiteFault(`$ref ${$ref} leads outside of the file, which is not supported`);
    const target = $ref
      .slice(2)
      .split("/")
      .reduce<unknown>((at, step) => {
        const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
        return isMembers(at) && Object.hasOwn(at, name) ? at[name] : undefined;
      }, root);
    if (target === undefined) throw new SuiteFault(`$ref ${$ref} leads nowhere`);
    const found = resolved(target, depth + 1);
    return isMembers(found) ? { ...found, ...(resolved(rest, depth + 1) as object) } : found;
  };
  return resolved(root, 0);
}

/** A copy of a large suite would double what it takes. */
function hasReference(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  // Too deep, or a circle: for the caller to say.
  if (depth > maxDepth) return true;
  if (Array.isArray(value)) return value.some((one) => hasReference(one, depth + 1));
  if (typeof (value as Record<string, unknown>).$ref === "string") return true;
  for (const name in value) if (hasReference((value as Record<string, unknown>)[name], depth + 1)) return true;
  return false;
}
