/**
 * A process that runs the code of a suite: assertions, transforms, and providers that are scripts.
 *
 * - `runCodeWorker(input)` reads jobs from its standard input until it ends, and writes an answer for each.
 */
import { writeSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { answerDescriptor, type CodeAnswer, type CodeJob } from "./code-job.ts";

type AnyFunction = (...args: unknown[]) => unknown;

class MissingModule extends Error {}

export async function runCodeWorker(input: NodeJS.ReadableStream): Promise<void> {
  for await (const line of createInterface({ input })) {
    if (line === "") continue;
    const { id, job } = JSON.parse(line) as { id: number; job: CodeJob };
    answer(await perform(id, job));
  }
}

async function perform(id: number, job: CodeJob): Promise<CodeAnswer> {
  try {
    const value = await run(job);
    if (typeof value === "function") return { id, isFunction: true };
    // JSON has no NaN and no infinity.
    const isOdd = typeof value === "number" && !Number.isFinite(value);
    return isOdd ? { id, number: String(value) } : { id, value };
  } catch (error) {
    const told = error instanceof Error ? error.message || error.name : String(error);
    return { id, error: told, ...(error instanceof MissingModule ? { isMissing: true } : {}) };
  }
}

function answer(given: CodeAnswer): void {
  let text: string;
  try {
    text = JSON.stringify(given, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value));
  } catch (error) {
    text = JSON.stringify({ id: given.id, error: `its result is not JSON: ${(error as Error).message}` });
  }
  const bytes = Buffer.from(`${text}\n`);
  let at = 0;
  while (at < bytes.length) at += writeSync(answerDescriptor, bytes, at);
}

async function run(job: CodeJob): Promise<unknown> {
  switch (job.kind) {
    case "inline": {
      const made = new Function(...job.parameters, "process", job.body) as AnyFunction;
      const args = job.parameters.map((_, index) => job.args[index]);
      return await made(...args, shim(join(process.cwd(), "suite.js")));
    }
    case "module": {
      const found = await exported(job.file, job.name, job.isStrict === true);
      return typeof found === "function" ? await (found as AnyFunction)(...job.args) : found;
    }
    case "provider":
      return await callProvider(job);
    case "script":
      throw new Error(`${job.language} is run by its own worker`);
    case "regex":
      return new RegExp(job.source).test(job.text);
    case "sql":
      return parseSql(job);
  }
}

/** Inline code may require modules through it. */
function shim(from: string): object {
  const require = createRequire(from);
  return new Proxy(process, {
    get: (target, key) => (key === "mainModule" ? { require, exports: {} } : Reflect.get(target, key, target)),
  });
}

async function exported(file: string, name: string | undefined, isStrict: boolean): Promise<unknown> {
  const found = (await import(pathToFileURL(file).href)) as Record<string, unknown>;
  const fallback = found.default ?? found;
  if (name === undefined) return unwrapped(fallback);
  const named = found[name] ?? (fallback as Record<string, unknown>)[name];
  if (named !== undefined) return named;
  if (isStrict) throw new Error(`${file} does not export ${name}`);
  return unwrapped(fallback);
}

/** A CommonJS file may itself export `{ default }`. */
function unwrapped(value: unknown): unknown {
  const inner = typeof value === "object" && value !== null ? (value as { default?: unknown }).default : undefined;
  return typeof inner === "function" ? inner : value;
}

const providers = new Map<string, Record<string, AnyFunction>>();

async function callProvider({ file, name, options, method, args }: Extract<CodeJob, { kind: "provider" }>) {
  const key = JSON.stringify([file, name, options]);
  const provider = providers.get(key) ?? (await makeProvider(file, name, options));
  providers.set(key, provider);
  const call = provider[method];
  if (typeof call !== "function") throw new Error(`${file} has no ${method}`);
  return await call.apply(provider, [...args]);
}

async function makeProvider(file: string, name: string | undefined, options: unknown) {
  const found = await exported(file, name, true);
  if (typeof found !== "function") return found as Record<string, AnyFunction>;
  const isClass =
    /^class\b/.test(Function.prototype.toString.call(found)) || typeof found.prototype?.callApi === "function";
  if (isClass) return new (found as new (given: unknown) => Record<string, AnyFunction>)(options);
  return { callApi: found as AnyFunction };
}

interface SqlParser {
  astify(text: string, options: object): unknown;
  whiteListCheck(text: string, allowed: readonly string[], options: object): unknown;
}

function parseSql({ folder, text, database, tables, columns }: Extract<CodeJob, { kind: "sql" }>): string[] {
  let module: { Parser: new () => SqlParser };
  try {
    module = createRequire(join(folder, "suite.js"))("node-sql-parser") as typeof module;
  } catch (cause) {
    throw new MissingModule("node-sql-parser is not installed", { cause });
  }
  const parser = new module.Parser();
  const faults: string[] = [];
  const attempt = (problem: string, work: () => unknown) => {
    try {
      work();
    } catch {
      faults.push(problem);
    }
  };
  attempt("syntax", () => parser.astify(text, { database }));
  if (tables) attempt("tables", () => parser.whiteListCheck(text, tables, { database, type: "table" }));
  if (columns) {
    const allowed = columns.flatMap((one) => {
      const parts = one.split("::");
      return parts.length === 3 && parts[1] !== "null" ? [one, `${parts[0]}::null::${parts[2]}`] : [one];
    });
    attempt("columns", () => parser.whiteListCheck(text, allowed, { database, type: "column" }));
  }
  return faults;
}
