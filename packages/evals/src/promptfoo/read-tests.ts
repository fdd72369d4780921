/**
 * `readTests(given, files)` the tests of a suite as they are written: in the suite, in YAML, JSON, JSON lines and CSV files, by
 * globs, or made by a script.
 */
import { dirname, extname } from "node:path";
import { parse } from "csv-parse/sync";
import { testFromRow } from "./csv-tests.ts";
import { isMembers, type Members, SuiteFault } from "./suite.ts";
import { type SuiteFiles, withReferences } from "./suite-files.ts";

export interface WrittenTest {
  readonly test: Members;
  /** For messages. */
  readonly source: string;
  /** What its own files are relative to. */
  readonly folder: string;
}

const remote = /^(?:https?|az|huggingface):\/\//;

export async function readTests(given: unknown, files: SuiteFiles, where: string): Promise<WrittenTest[]> {
  if (given === undefined || given === null) return [];
  if (typeof given === "string") {
    const isWhole = !/\.ya?ml$/.test(given);
    return await fromReference(given, undefined, files, isWhole);
  }
  if (isMembers(given) && typeof given.path === "string")
    return await fromReference(given.path, given.config, files, true);
  if (!Array.isArray(given)) throw new SuiteFault(`${where} must be a list, or the name of a file`);
  const tests: WrittenTest[] = [];
  for (const [index, one] of given.entries()) {
    if (typeof one === "string") tests.push(...(await fromReference(one, undefined, files, false)));
    else if (isMembers(one) && typeof one.path === "string")
      tests.push(...(await fromReference(one.path, one.config, files, true)));
    else if (isMembers(one))
      tests.push(await withVars({ test: one, source: `${where}[${index}]`, folder: files.folder }, files));
    else throw new SuiteFault(`${where}[${index}] must be a test, or the name of a file`);
  }
  return tests;
}

/** Rows of a table and tests of a file that is named alone get their number as a description. */
async function fromReference(
  reference: string,
  config: unknown,
  files: SuiteFiles,
  isWhole: boolean,
): Promise<WrittenTest[]> {
  if (remote.test(reference))
    throw new SuiteFault(`tests from ${reference.split("?")[0]} cannot be read: only local files are`);
  if (files.isScript(reference)) {
    const made = await files.call(reference, "generate_tests", config === undefined ? [] : [config]);
    if (!Array.isArray(made)) throw new SuiteFault(`${reference} must return a list of tests`);
    return await listed(made, reference, files.folder, files, false);
  }
  const paths = await files.matching(reference);
  const exact = files.path(reference);
  const found = paths.length === 0 && (await files.isFile(exact)) ? [exact] : paths;
  if (found.length === 0) throw new SuiteFault(`${reference} matches no file of tests`);
  const tests: WrittenTest[] = [];
  for (const path of found) tests.push(...(await fromFile(path, files, isWhole)));
  return tests;
}

async function fromFile(path: string, files: SuiteFiles, isWhole: boolean): Promise<WrittenTest[]> {
  const shown = files.shown(path);
  switch (extname(path).toLowerCase()) {
    case ".csv":
      return rowsOf(await files.text(path), shown).map((row, index) => {
        const test = testFromRow(row);
        test.description ||= `Row #${index + 1}`;
        return { test, source: `${shown} row ${index + 1}`, folder: files.folder };
      });
    case ".yaml":
    case ".yml":
    case ".json":
    case ".jsonl": {
      const data = withReferences(await files.data(path));
      return await listed(Array.isArray(data) ? data : [data], shown, dirname(path), files, isWhole);
    }
    default:
      throw new SuiteFault(`${shown} is not a file of tests: use CSV, YAML, JSON, JSON lines or a script`);
  }
}

async function listed(
  data: readonly unknown[],
  source: string,
  folder: string,
  files: SuiteFiles,
  isNumbered: boolean,
): Promise<WrittenTest[]> {
  const tests: WrittenTest[] = [];
  for (const [index, one] of data.entries()) {
    if (!isMembers(one)) throw new SuiteFault(`${source}, test ${index + 1} is not an object`);
    const test = isNumbered && !one.description ? { ...one, description: `Row #${index + 1}` } : one;
    tests.push(await withVars({ test, source: `${source} test ${index + 1}`, folder }, files));
  }
  return tests;
}

/** `vars` may be the names of files that hold them. */
async function withVars(written: WrittenTest, files: SuiteFiles): Promise<WrittenTest> {
  const { vars } = written.test;
  if (typeof vars !== "string" && !Array.isArray(vars)) return written;
  const all: Record<string, unknown> = {};
  for (const pattern of (Array.isArray(vars) ? vars : [vars]) as unknown[]) {
    const paths = await files.matching(String(pattern), written.folder);
    if (paths.length === 0) throw new SuiteFault(`${written.source}: ${String(pattern)} matches no file of variables`);
    for (const path of paths) Object.assign(all, await files.data(path));
  }
  return { ...written, test: { ...written.test, vars: all } };
}

function rowsOf(text: string, file: string): Record<string, string>[] {
  const options = { columns: true as const, bom: true };
  try {
    return parse(text, options) as Record<string, string>[];
  } catch {
    // Quotes in the middle of a value are accepted where the strict form fails.
  }
  try {
    return parse(text, { ...options, relax_quotes: true }) as Record<string, string>[];
  } catch (error) {
    throw new SuiteFault(`${file} is not CSV: ${(error as Error).message}`);
  }
}
