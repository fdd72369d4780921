/**
 * Loads a promptfoo suite whole.
 *
 * - `loadPromptfooSuite(file, options)` prompts, providers and tests with everything they inherit; throws a `SuiteFault` if a
 *   file cannot be read. What can be read and not run is listed in `refusals`.
 */
import { basename, dirname } from "node:path";
import type { Assertion } from "../assertions/index.ts";
import type { CodePool } from "../code/index.ts";
import type { ParseYaml } from "./quick-yaml.ts";
import { readPrompts } from "./read-prompts.ts";
import { readProviders } from "./read-providers.ts";
import { readTests, type WrittenTest } from "./read-tests.ts";
import { isMembers, type Members, numberOr, type PromptfooSuite, SuiteFault, type SuiteTest, textOr } from "./suite.ts";
import { SuiteFiles, withReferences } from "./suite-files.ts";
import { assertionProblems, promptProblems, suiteProblems } from "./suite-problems.ts";

export interface LoadOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly code: CodePool;
  readonly signal: AbortSignal;
  readonly parseYaml?: ParseYaml | undefined;
}

const usualConcurrency = 4;

export async function loadPromptfooSuite(file: string, options: LoadOptions): Promise<PromptfooSuite> {
  const { env } = options;
  const folder = dirname(file);
  const files = new SuiteFiles({ folder, ...options });
  const read = files.isScript(file) ? await files.call(file, "", []) : await files.data(file);
  const config = withReferences(read);
  if (!isMembers(config)) throw new SuiteFault(`${files.shown(file)} is not a promptfoo suite`);
  const own = isMembers(config.env)
    ? Object.fromEntries(Object.entries(config.env).map(([name, value]) => [name, String(value)]))
    : {};
  const all = { ...env, ...own };
  const providers = await readProviders(config.providers ?? config.targets, files, all);
  const prompts = await readPrompts(config.prompts ?? "{{prompt}}", files);
  const base = await defaultTestOf(config.defaultTest, files);
  const written = await readTests(config.tests, files, "tests");
  const tests = [...written, ...(await scenarioTests(config.scenarios, base, files))];
  const usable = tests.length > 0 ? tests : [{ test: {}, source: "the suite", folder }];
  const finished = usable.map((one) => completed(one, base));
  const running = { ...members(config.commandLineOptions), ...members(config.evaluateOptions) };
  const problems = suiteProblems(config, { prompts, providers });
  const inTests = finished.flatMap((test) => [...assertionProblems(test, providers), ...promptProblems(test, prompts)]);
  return {
    name: textOr(config.description)?.split("\n")[0]?.slice(0, 200) ?? nameOf(file, folder),
    folder,
    prompts,
    providers,
    tests: finished,
    env: all,
    maxConcurrency: Math.max(1, numberOr(running.maxConcurrency) ?? usualConcurrency),
    delayMs: numberOr(running.delay) ?? 0,
    repeats: Math.max(1, numberOr(running.repeat) ?? 1),
    refusals: [...new Set([...problems.refusals, ...inTests.flatMap(({ refusal }) => refusal ?? [])])],
    warnings: [...new Set([...problems.warnings, ...inTests.flatMap(({ warning }) => warning ?? [])])],
  };
}

const members = (value: unknown): Members => (isMembers(value) ? value : {});

function nameOf(file: string, folder: string): string {
  const name = basename(file).replace(/\.[^.]+$/, "");
  return name === "promptfooconfig" ? basename(folder) || name : name;
}

async function defaultTestOf(given: unknown, files: SuiteFiles): Promise<Members> {
  if (given === undefined || given === null) return {};
  const found = typeof given === "string" ? withReferences(await files.data(files.path(given))) : given;
  if (!isMembers(found)) throw new SuiteFault("defaultTest must be an object, or the name of a file");
  return found;
}

/** Each set of values of a scenario with each of its tests. */
async function scenarioTests(given: unknown, base: Members, files: SuiteFiles): Promise<WrittenTest[]> {
  if (given === undefined || given === null) return [];
  const found: WrittenTest[] = [];
  const scenarios = typeof given === "string" ? await scenariosIn(given, files) : given;
  if (!Array.isArray(scenarios)) throw new SuiteFault("scenarios must be a list, or the name of a file");
  let index = 0;
  for (const [at, listed] of scenarios.entries()) {
    for (const one of typeof listed === "string" ? await scenariosIn(listed, files) : [listed as unknown]) {
      if (!isMembers(one)) throw new SuiteFault(`scenarios[${at}] is not an object`);
      const where = `scenarios[${at}]`;
      const tests =
        one.tests === undefined
          ? [{ test: {}, source: where, folder: files.folder }]
          : await readTests(one.tests, files, `${where}.tests`);
      const sets = typeof one.config === "string" ? await readTests(one.config, files, `${where}.config`) : undefined;
      const configs = sets
        ? sets.map(({ test }) => test)
        : Array.isArray(one.config)
          ? (one.config as unknown[])
          : [{}];
      for (const values of configs) {
        for (const written of tests)
          found.push({ ...written, test: merged(base, members(values), written.test, index) });
        index += 1;
      }
    }
  }
  return found;
}

async function scenariosIn(reference: string, files: SuiteFiles): Promise<unknown[]> {
  const found: unknown[] = [];
  for (const path of await files.matching(reference)) {
    const data = withReferences(await files.data(path));
    found.push(...(Array.isArray(data) ? (data as unknown[]) : [data]));
  }
  if (found.length === 0) throw new SuiteFault(`${reference} matches no file of scenarios`);
  return found;
}

function merged(base: Members, values: Members, test: Members, index: number): Members {
  const both = (name: string): Members => ({
    ...members(base[name]),
    ...members(values[name]),
    ...members(test[name]),
  });
  const metadata = { conversationId: `__scenario_${index}__`, ...both("metadata") };
  const assert = [...list(values.assert), ...list(test.assert)];
  return { ...base, ...values, ...test, vars: both("vars"), options: both("options"), metadata, assert };
}

const list = (value: unknown): unknown[] => (Array.isArray(value) ? (value as unknown[]) : []);

function completed({ test, source }: WrittenTest, base: Members): SuiteTest {
  const options = { ...members(base.options), ...members(test.options) };
  for (const [name, value] of [
    ["assert", test.assert],
    ["defaultTest.assert", base.assert],
  ] as const) {
    if (value !== undefined && value !== null && !Array.isArray(value))
      throw new SuiteFault(`${source}: ${name} must be a list`);
  }
  const inherited = members(test.options).disableDefaultAsserts === true ? [] : list(base.assert);
  const texts = (value: unknown): string[] | undefined => (Array.isArray(value) ? value.map(String) : undefined);
  return {
    description: textOr(test.description),
    vars: { ...members(base.vars), ...members(test.vars) },
    assert: [...inherited, ...list(test.assert)].map((one) => assertionOf(one, source)),
    options,
    metadata: { ...members(base.metadata), ...members(test.metadata) },
    threshold: numberOr(test.threshold) ?? numberOr(base.threshold),
    provider: test.provider ?? base.provider,
    providers: texts(test.providers ?? base.providers),
    prompts: texts(test.prompts ?? base.prompts),
    providerOutput: test.providerOutput,
    assertScoringFunction: test.assertScoringFunction ?? base.assertScoringFunction,
    source,
  };
}

function assertionOf(given: unknown, source: string): Assertion {
  if (!isMembers(given) || typeof given.type !== "string") throw new SuiteFault(`${source}: an assertion needs a type`);
  if (given.type === "assert-set") {
    if (!Array.isArray(given.assert)) throw new SuiteFault(`${source}: assert-set needs a list of assertions`);
    return { ...given, type: given.type, assert: given.assert.map((one) => assertionOf(one, source)) };
  }
  return given as Assertion;
}
