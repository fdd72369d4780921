/**
 * `planSuite(suite, repeats)` every call of a suite in order: tests with each combination of their variables, by each provider
 * and each of its prompts.
 */
import { globSync } from "node:fs";
import { hashBytes } from "@devflow/core/hash";
import { type PromptfooSuite, SuiteFault, type SuitePrompt, type SuiteProvider, type SuiteTest } from "./suite.ts";

export interface SuiteColumn {
  readonly promptIdx: number;
  readonly prompt: SuitePrompt;
  readonly promptId: string;
  readonly provider: SuiteProvider;
}

export interface PlannedCall {
  readonly testIdx: number;
  readonly repeat: number;
  readonly column: SuiteColumn;
  readonly test: SuiteTest;
  readonly vars: Readonly<Record<string, unknown>>;
  /** No other prompt or provider follows for these variables. */
  readonly endsRow: boolean;
}

export interface SuitePlan {
  readonly columns: readonly SuiteColumn[];
  readonly rows: number;
  /** Made one by one: a suite may have millions. */
  calls(): Generator<PlannedCall>;
  readonly total: number;
}

export function planSuite(suite: PromptfooSuite, repeats = suite.repeats): SuitePlan {
  const columns: SuiteColumn[] = [];
  for (const provider of suite.providers) {
    for (const prompt of suite.prompts) {
      if (!isAllowed(prompt, provider.prompts)) continue;
      columns.push({ promptIdx: columns.length, prompt, promptId: hashBytes(prompt.id ?? prompt.raw), provider });
    }
  }
  const tests = suite.tests.map((test) => ({
    test,
    sets: combinations(test, suite.folder),
    repeats: repeatsOf(test, repeats),
    columns: columns.filter(
      ({ prompt, provider }) => isAllowed(prompt, test.prompts) && isProviderAllowed(provider, test.providers),
    ),
  }));
  const rows = tests.reduce((sum, one) => sum + one.repeats * one.sets.length, 0);
  const total = tests.reduce((sum, one) => sum + one.repeats * one.sets.length * one.columns.length, 0);
  return {
    columns,
    rows,
    total,
    *calls() {
      let testIdx = 0;
      for (const { test, sets, repeats: times, columns: own } of tests) {
        for (let repeat = 0; repeat < times; repeat += 1) {
          for (const vars of sets) {
            for (const column of own) yield { testIdx, repeat, column, test, vars, endsRow: column === own.at(-1) };
            testIdx += 1;
          }
        }
      }
    },
  };
}

function repeatsOf({ options }: SuiteTest, usual: number): number {
  const own = options.repeat;
  return typeof own === "number" && Number.isInteger(own) && own > 0 ? own : usual;
}

/** By label or id; `group:*` and `group` stand for all of a group. */
export function isAllowed(
  { label, id }: Pick<SuitePrompt, "label" | "id">,
  allowed: readonly string[] | undefined,
): boolean {
  if (!allowed) return true;
  const names = [label, id].filter((one) => one !== undefined);
  return allowed.some((one) =>
    names.some(
      (name) => name === one || name.startsWith(`${one}:`) || (one.endsWith("*") && name.startsWith(one.slice(0, -1))),
    ),
  );
}

const isProviderAllowed = ({ label, id }: SuiteProvider, allowed: readonly string[] | undefined): boolean =>
  isAllowed({ label: label ?? id, id }, allowed);

const maxSets = 100_000;

/** A list of texts stands for one test with each of them; so does a glob of files. */
function combinations({ vars, options, source }: SuiteTest, folder: string): Readonly<Record<string, unknown>>[] {
  if (options.disableVarExpansion === true) return [vars];
  let sets: Record<string, unknown>[] = [{}];
  for (const [name, value] of Object.entries(vars)) {
    const values = valuesOf(name, value, folder, source);
    sets = sets.flatMap((set) => values.map((one) => ({ ...set, [name]: one })));
    if (sets.length > maxSets)
      throw new SuiteFault(`${source}: its lists of variables make more than ${maxSets} combinations`);
  }
  return sets;
}

function valuesOf(name: string, value: unknown, folder: string, source: string): readonly unknown[] {
  if (typeof value === "string" && value.startsWith("file://") && /[*?{}[\]]/.test(value)) {
    const files = globSync(value.slice("file://".length), { cwd: folder }).sort();
    if (files.length === 0) throw new SuiteFault(`${source}: the variable ${name} matches no file: ${value}`);
    return files.map((file) => `file://${file}`);
  }
  return Array.isArray(value) && typeof value[0] === "string" ? value : [value];
}
