/**
 * Loads a suite from its files.
 *
 * - `loadSuite({ patterns, root, suite })` every case of the files that the globs match, or one error that lists the problems
 *   of all files. A suite is never loaded in part.
 */
import { glob, readFile, stat } from "node:fs/promises";
import { basename, dirname, relative, resolve } from "node:path";
import { DevflowError } from "@devflow/core/errors";
import type { EvalCase, Suite, SuitePlan } from "./eval-case.ts";
import { parseCaseFile } from "./parse-cases.ts";
import { type CaseFault, maxFileBytes } from "./read-yaml.ts";

export interface LoadSuiteOptions {
  /** Files, folders or globs; a folder stands for every `.yaml` and `.yml` file below it. */
  readonly patterns: readonly string[];
  /** The base of relative paths, including `prompt_source_files`. */
  readonly root: string;
  readonly suite?: string;
}

const maxFiles = 10_000;
const judgeProfiles = /(^|\/)judge-profiles\.ya?ml$/;

export async function loadSuite({ patterns, root, suite }: LoadSuiteOptions): Promise<Suite> {
  const files = await findFiles(patterns, root);
  const faults: CaseFault[] = [];
  const warnings: string[] = [];
  const cases: EvalCase[] = [];
  const named = new Set<string>();
  const plans: SuitePlan[] = [];
  for (const file of files) {
    const shown = relative(root, file) || file;
    const { size } = await stat(file);
    if (size > maxFileBytes) {
      faults.push({
        file: shown,
        line: 1,
        path: "",
        problem: `is larger than ${maxFileBytes} bytes; split it into several files`,
      });
      continue;
    }
    const parsed = parseCaseFile(await readFile(file), shown, { root });
    cases.push(...parsed.cases);
    faults.push(...parsed.faults);
    warnings.push(...parsed.warnings);
    plans.push(...parsed.plans);
    for (const name of parsed.suites) named.add(name);
  }
  if (named.size > 1 && suite === undefined) {
    const problem = `the files name several suites: ${[...named].join(", ")}; check them separately, or use --suite`;
    faults.push({ file: relative(root, files[0] ?? root), line: 1, path: "suite", problem });
  }
  for (const { file, line } of plans.slice(1)) {
    const problem = `prompts and providers are already given in ${plans[0]?.file}:${plans[0]?.line}`;
    faults.push({ file, line, path: "prompts", problem });
  }
  faults.push(...sameTwice(cases));
  if (faults.length > 0) throw invalidSuite(faults);
  if (cases.length === 0) {
    throw new DevflowError("input_invalid", {
      details: {
        problem: `No cases in ${patterns.join(", ")}.`,
        next: "A case needs a name and expectations; see docs/expectations.md",
      },
    });
  }
  const [only] = named;
  return { name: suite ?? only ?? nameOf(files, root), cases, files, plan: plans[0], warnings };
}

export function invalidSuite(faults: readonly CaseFault[]): DevflowError {
  const shown = faults
    .slice(0, 100)
    .map(({ file, line, path, problem }) => `  ${file}:${line} ${path ? `${path}: ` : ""}${problem}`);
  if (faults.length > shown.length) shown.push(`  … and ${faults.length - shown.length} more`);
  return new DevflowError("input_invalid", {
    details: {
      problem: `${faults.length === 1 ? "There is 1 error" : `There are ${faults.length} errors`}:\n${shown.join("\n")}`,
      next: "Fix them; see docs/eval-suites.md and docs/expectations.md",
      faults,
    },
  });
}

/** Two cases with the same name and input would be mistaken for repeats of one. */
function sameTwice(cases: readonly EvalCase[]): CaseFault[] {
  const seen = new Map<string, EvalCase>();
  return cases.flatMap((one) => {
    const key = `${one.inputSha}\n${one.name}`;
    const first = seen.get(key);
    if (!first) seen.set(key, one);
    if (!first) return [];
    return [
      {
        file: one.file,
        line: one.line,
        path: "name",
        problem: `"${one.name}" with the same input is already defined at ${first.file}:${first.line}`,
      },
    ];
  });
}

async function findFiles(patterns: readonly string[], root: string): Promise<string[]> {
  const found = new Set<string>();
  for (const pattern of patterns) {
    const path = resolve(root, pattern);
    const facts = await stat(path).catch(() => undefined);
    if (facts?.isFile()) {
      found.add(path);
      continue;
    }
    const globs = facts?.isDirectory() ? ["**/*.yaml", "**/*.yml"] : [pattern];
    const cwd = facts?.isDirectory() ? path : root;
    for (const one of globs) {
      for await (const match of glob(one, { cwd, exclude: (name) => name === "node_modules" || name === ".git" })) {
        const file = resolve(cwd, match);
        if (/\.ya?ml$/.test(file) && !judgeProfiles.test(file)) found.add(file);
        if (found.size > maxFiles) {
          throw new DevflowError("input_invalid", {
            details: { problem: `${pattern} matches more than ${maxFiles} files.`, next: "Use a narrower pattern." },
          });
        }
      }
    }
  }
  if (found.size > 0) return [...found].sort();
  throw new DevflowError("not_found", {
    details: {
      what: `A case file for ${patterns.join(", ")}`,
      next: "Give a .yaml file, a folder or a glob: devflow eval check 'evals/**/*.yaml' outputs.json",
    },
  });
}

function nameOf(files: readonly string[], root: string): string {
  const [only] = files;
  if (files.length === 1 && only) return basename(only).replace(/(?:\.evals?)?\.ya?ml$/, "");
  const folders = new Set(files.map((file) => dirname(file)));
  const [folder] = folders;
  return basename(folders.size === 1 && folder ? folder : root) || "suite";
}
