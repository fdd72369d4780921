/**
 * Parses the cases of one file.
 *
 * - `parseCaseFile(bytes, file, { root })` all cases, and all problems with line and path.
 *
 * A document is one case, a list of cases, or a suite (`cases:` and what they share). A document with only suite keys is a
 * header for the documents that follow it in the file.
 */
import { existsSync } from "node:fs";
import { dirname, isAbsolute, resolve } from "node:path";
import { hash } from "@devflow/core/hash";
import { nearest } from "@devflow/core/nearest";
import type { z } from "zod";
import { type Expectation, expectationType, parseExpectation, unknownType } from "../expectations/index.ts";
import { caseMetadata, headerKeys, metadataKeys, type SuiteHeader, suiteHeader } from "./case-schema.ts";
import type { EvalCase, SuitePlan } from "./eval-case.ts";
import { type CaseFault, pathText, readYaml, type YamlDocument } from "./read-yaml.ts";

export interface ParsedFile {
  readonly cases: readonly EvalCase[];
  readonly suites: readonly string[];
  readonly plans: readonly SuitePlan[];
  readonly faults: readonly CaseFault[];
  readonly warnings: readonly string[];
}

type Members = Record<string, unknown>;
type Path = readonly PropertyKey[];

export function parseCaseFile(bytes: Uint8Array, file: string, { root }: { readonly root: string }): ParsedFile {
  const { documents, faults: unreadable } = readYaml(bytes, file);
  const faults: CaseFault[] = [...unreadable];
  const warnings: string[] = [];
  const cases: EvalCase[] = [];
  const suites: string[] = [];
  const plans: SuitePlan[] = [];
  let header: SuiteHeader = suiteHeader.parse({});

  for (const document of documents) {
    const fault = (path: Path, problem: string) =>
      void faults.push({ file, line: document.lineAt(path), path: pathText(path), problem });
    const warn = (path: Path, problem: string) => void warnings.push(`${file}:${document.lineAt(path)} ${problem}`);
    const at: Place = { file, root, document, fault, warn };
    const readHeader = (given: Members, path: Path): SuiteHeader => {
      const parsed = suiteHeader.safeParse(given);
      if (!parsed.success) {
        report(parsed.error, path, fault);
        return header;
      }
      const { suite, prompts, providers } = parsed.data;
      if (suite) suites.push(suite);
      if (prompts || providers) {
        const line = document.lineAt([...path, prompts ? "prompts" : "providers"]);
        plans.push({ prompts, providers, file, line });
      }
      return parsed.data;
    };
    const { value } = document;
    if (isMembers(value) && "cases" in value) {
      const { cases: listed, ...shared } = value;
      const own = readHeader(shared, []);
      if (!Array.isArray(listed)) fault(["cases"], "expected a list of cases");
      else cases.push(...readList(listed, ["cases"], own, at));
    } else if (Array.isArray(value)) cases.push(...readList(value, [], header, at));
    else if (isMembers(value) && isHeader(value)) header = readHeader(value, []);
    else if (value !== null && value !== undefined) cases.push(...readList([value], undefined, header, at));
  }
  return { cases, suites, plans, faults, warnings };
}

interface Place {
  readonly file: string;
  readonly root: string;
  readonly document: YamlDocument;
  readonly fault: (path: Path, problem: string) => void;
  readonly warn: (path: Path, problem: string) => void;
}

function isHeader(value: Members): boolean {
  const keys = Object.keys(value);
  return (
    keys.length > 0 &&
    keys.every((key) => headerKeys.includes(key)) &&
    ("suite" in value || "severity_order" in value || !("name" in value))
  );
}

/** `path` undefined: the document itself is the case. */
function readList(listed: readonly unknown[], path: Path | undefined, header: SuiteHeader, at: Place): EvalCase[] {
  return listed.flatMap((given, index) => {
    const own = path ? [...path, index] : [];
    if (!isMembers(given)) {
      at.fault(own, "expected a case: a mapping of names to values");
      return [];
    }
    const read = readCase(given, own, header, at);
    return read ? [read] : [];
  });
}

function readCase(given: Members, path: Path, header: SuiteHeader, at: Place): EvalCase | undefined {
  const metadata = Object.fromEntries(Object.entries(given).filter(([key]) => metadataKeys.includes(key)));
  const parsed = caseMetadata.safeParse(metadata);
  if (!parsed.success) report(parsed.error, path, at.fault);
  const input = readInput(given, path, at);
  const expectations = readExpectations(
    given.expectations,
    [...path, "expectations"],
    { ...input, severity_order: header.severity_order },
    at,
  );
  if (!parsed.success || !expectations) return undefined;
  const sha = (value: unknown, where: Path): string => {
    try {
      return hash(value);
    } catch (error) {
      at.fault(where, `is not valid JSON: ${(error as Error).message}`);
      return "";
    }
  };
  const inputSha = sha(input, path);
  const expectationsSha = sha(
    header.severity_order ? { expectations, severity_order: header.severity_order } : expectations,
    [...path, "expectations"],
  );
  const { name, description, category, tags, tier, comparison, tier_chain, prompt_source_files } = parsed.data;
  const allTags = [...new Set([...header.tags, ...tags])];
  return {
    name,
    description,
    category: category ?? header.category,
    tags: allTags,
    scope:
      tier ??
      (allTags.includes("quick") || allTags.includes("smoke")
        ? "quick"
        : allTags.includes("full")
          ? "full"
          : "standard"),
    input,
    inputSha,
    expectations,
    expectationsSha,
    promptSourceFiles: [...header.prompt_source_files, ...prompt_source_files].map((one) =>
      sourceFile(one, [...path, "prompt_source_files"], at),
    ),
    comparison,
    tierChain: tier_chain,
    severityOrder: header.severity_order,
    file: at.file,
    line: at.document.lineAt(path),
  };
}

/** Everything that is not metadata; the members of a block called `input` are merged into it. */
function readInput(given: Members, path: Path, at: Place): Members {
  const known = [...metadataKeys, "expectations"];
  const rest = Object.fromEntries(Object.entries(given).filter(([key]) => !known.includes(key)));
  for (const key of Object.keys(rest)) {
    // `prompt` is what is sent if the suite has no prompts.
    const meant = key === "prompt" ? undefined : nearest(key, known);
    if (meant && meant !== "name") at.warn([...path, key], `"${key}" is treated as input; did you mean ${meant}?`);
  }
  if (!isMembers(rest.input)) return rest;
  const { input, ...others } = rest;
  for (const key of Object.keys(others))
    if (key in input) at.fault([...path, key], `"${key}" is both in the case and in its input`);
  return { ...input, ...others };
}

function readExpectations(given: unknown, path: Path, input: Members, at: Place): Expectation[] | undefined {
  if (!Array.isArray(given) || given.length === 0) {
    at.fault(
      given === undefined ? path.slice(0, -1) : path,
      given === undefined
        ? "the case has no expectations, so it could not fail"
        : "expected a list with at least one expectation",
    );
    return undefined;
  }
  return given.flatMap((one, index) => {
    const own = [...path, index];
    // `- subject_not_empty` is short for `- type: subject_not_empty`.
    const expectation = typeof one === "string" ? { type: one } : one;
    if (!isMembers(expectation) || typeof expectation.type !== "string") {
      at.fault(own, "expected an expectation with a type");
      return [];
    }
    checkParameters(expectation as Expectation, own, input, at);
    return [expectation as Expectation];
  });
}

function checkParameters(expectation: Expectation, path: Path, input: Members, at: Place): void {
  const type = expectationType(expectation.type);
  const parsed = parseExpectation(expectation);
  if (!parsed) at.fault([...path, "type"], unknownType(expectation.type));
  else if (!parsed.success) report(parsed.error, path, at.fault);
  else {
    const lack = type?.needs?.(parsed.data as never, input);
    if (lack) at.fault(path, `${expectation.type}: ${lack}`);
  }
}

/** Reports zod's issues; each unknown key at its own line. */
function report(error: z.ZodError, path: Path, fault: Place["fault"]): void {
  for (const issue of error.issues) {
    const where = [...path, ...issue.path];
    if (issue.code === "unrecognized_keys")
      for (const key of issue.keys) fault([...where, key], `unknown key "${key}"`);
    else fault(where, plain(issue));
  }
}

/** For a union, reports the alternative that matched best. */
function plain(issue: z.core.$ZodIssue): string {
  if (issue.code !== "invalid_union") return issue.message;
  const inner = issue.errors.flat().filter((one) => one.code !== "invalid_type");
  return inner[0]
    ? plain(inner[0])
    : issue.errors
        .flat()
        .map((one) => one.message)
        .join(", or ") || issue.message;
}

/** Relative to the project, or else to the case file. */
function sourceFile(given: string, path: Path, { root, file, fault }: Place): string {
  const candidates = isAbsolute(given) ? [given] : [resolve(root, given), resolve(dirname(resolve(root, file)), given)];
  const found = candidates.find((one) => existsSync(one));
  if (!found) fault(path, `${given} was not found, so the cache could not detect its changes`);
  return found ?? (candidates[0] as string);
}

function isMembers(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
