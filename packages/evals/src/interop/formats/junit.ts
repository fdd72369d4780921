/** JUnit XML from any tool: `<failure>` is FAIL, `<error>` is ERROR, `<skipped>` is skipped. */
import {
  type EvalFailure,
  type EvalResult,
  type ImportedRun,
  type ResultStatus,
  resultStatuses,
} from "../../results/result.ts";
import { instant, number, text } from "../fields.ts";
import { again, fileTitle, type Importer, Losses, type Reading, Repeats, resultOf, runOf, Tally } from "../importer.ts";
import { type JUnitCase, type JUnitSuite, junitParts } from "./junit-cases.ts";

export const junit: Importer = {
  id: "junit",
  title: "JUnit XML",
  madeBy:
    "pytest --junitxml=results.xml, vitest --reporter=junit, go-junit-report, promptfoo eval -o results.junit.xml",
  carried: [
    "every test case, named by class and name, with the suite as its category; time, properties, system-out as output",
    "failure, error and skipped as different verdicts, with message, type and text; reruns and flaky attempts are counted",
    "expected and actual, if Devflow exported the file",
  ],
  lost: [
    "inputs (JUnit has none, so cases are paired by name)",
    "scores, tokens and cost, unless they are properties",
    "attachments",
  ],
  counts: "testsuite tests, failures, errors and skipped",
  recognises: (head) => head.kind === "xml" && /<testsuites?[\s>/]/.test(head.text),
  read,
};

async function* read(reading: Reading): AsyncGenerator<ImportedRun> {
  const { source, limits } = reading;
  const tally = new Tally();
  const losses = new Losses();
  const suites: JUnitSuite[] = [];
  const properties: Record<string, string> = {};
  const warnings: string[] = [];
  let both = 0;
  for await (const part of junitParts(source, limits)) {
    if (part.kind === "suite") {
      if (suites.length < 1000) suites.push(part);
    } else if (part.kind === "property") {
      if (Object.keys(properties).length < 200) properties[part.name] = part.value;
    } else {
      tally.add(statusOf(part));
      if (part.stderr !== "") losses.note("system-err");
      if (has(part, "failure") && has(part, "error")) both += 1;
    }
  }
  if (both > 0) warnings.push(`${both} case(s) have a failure and an error; they count as failures`);
  warnings.push(...disagreement(suites, tally.totals.total));
  const first = suites.find((suite) => suite.element === "testsuite")?.attributes ?? {};
  const root = suites[0]?.attributes ?? {};
  const alone = suites.filter((suite) => suite.element === "testsuite").length === 1;
  const began = instant(root.timestamp) ?? instant(first.timestamp);
  const run = await runOf(reading, {
    ...(text(properties["devflow.run_id"]) === null ? {} : { runId: properties["devflow.run_id"]! }),
    suite:
      text(properties["devflow.suite"]) ?? text(root.name) ?? (alone ? text(first.name) : null) ?? fileTitle(source),
    ...(text(properties["devflow.label"]) === null ? {} : { label: properties["devflow.label"]! }),
    source: "junit",
    totals: tally.totals,
    ...(began === null ? {} : { at: began }),
    host: text(first.hostname),
    model: text(properties["devflow.model"]),
    gitSha: text(properties["devflow.git_sha"]),
    gitBranch: text(properties["devflow.git_branch"]),
    durationMs: milliseconds(root.time ?? first.time),
    extra: Object.keys(properties).length > 0 ? { properties } : {},
  });
  const results = async function* () {
    const repeats = new Repeats();
    for await (const part of junitParts(source, limits)) if (part.kind === "case") yield resultFrom(part, repeats);
  };
  yield { run, results: again(results), losses: losses.sentences, warnings };
}

/** A failure takes precedence: the test ran and failed, and the error came from its teardown. */
function statusOf(part: JUnitCase): ResultStatus {
  const ours = part.properties["devflow.status"];
  if (resultStatuses.includes(ours as ResultStatus)) return ours as ResultStatus;
  if (has(part, "failure")) return "fail";
  if (has(part, "error")) return "error";
  return has(part, "skipped") ? "skipped" : "pass";
}

function has(part: JUnitCase, element: string): boolean {
  return part.outcomes.some((outcome) => outcome.element === element);
}

function resultFrom(part: JUnitCase, repeats: Repeats): EvalResult {
  const { attributes, properties } = part;
  const given = text(attributes.name) ?? "unnamed";
  const name =
    text(properties["devflow.name"]) ??
    (text(attributes.classname) === null ? given : `${attributes.classname} > ${given}`);
  const status = statusOf(part);
  const inputSha = text(properties["devflow.input_sha"]);
  const counted = repeats.next(name, inputSha);
  const error =
    part.outcomes.find((outcome) => outcome.element === "error") ??
    part.outcomes.find((outcome) => outcome.element === "skipped");
  const reruns = part.outcomes.filter((outcome) => /^(?:flaky|rerun)/.test(outcome.element)).length;
  return resultOf({
    name,
    status,
    inputSha,
    repeat: number(Number(properties["devflow.repeat"] ?? Number.NaN)) ?? counted,
    category: text(properties["devflow.category"]) ?? ("devflow.name" in properties ? null : text(part.suite)),
    expectationsSha: text(properties["devflow.expectations_sha"]),
    output: text(part.stdout),
    error: status === "error" || status === "skipped" ? said(error) : null,
    failures: status === "fail" ? part.outcomes.filter((outcome) => outcome.element === "failure").map(failureOf) : [],
    scores: scoresOf(properties),
    durationMs: milliseconds(attributes.time),
    extra: extraOf(part, reruns),
  });
}

function said(outcome: JUnitCase["outcomes"][number] | undefined): string | null {
  if (outcome === undefined) return null;
  return text([outcome.attributes.message, outcome.text.trim()].filter((words) => words).join("\n"));
}

function failureOf(outcome: JUnitCase["outcomes"][number]): EvalFailure {
  const { attributes } = outcome;
  return {
    type: "deterministic",
    expectationType: text(attributes.type),
    message: text(attributes.message) ?? text(outcome.text.trim().split("\n")[0]) ?? "failed",
    criterion: null,
    expected: section(outcome.text, "expected"),
    actual: section(outcome.text, "actual"),
    details: text(outcome.text.trim()),
    scores: null,
  };
}

/** As Devflow's exporter writes them: `expected: …` and `actual: …`, each on its own line. */
function section(words: string, name: "expected" | "actual"): string | null {
  const found = new RegExp(`^${name}: (.*)$`, "m").exec(words);
  return found === null ? null : found[1]!;
}

function scoresOf(properties: Readonly<Record<string, string>>): Record<string, number> {
  const scores: Record<string, number> = {};
  for (const [name, value] of Object.entries(properties)) {
    const score = /^(?:devflow\.)?score\.(.+)$/.exec(name)?.[1];
    if (score !== undefined && value.trim() !== "" && Number.isFinite(Number(value))) scores[score] = Number(value);
  }
  return scores;
}

function extraOf(part: JUnitCase, reruns: number): Record<string, unknown> {
  const { file, line } = part.attributes;
  const properties = Object.fromEntries(
    Object.entries(part.properties).filter(([name]) => !name.startsWith("devflow.")),
  );
  return {
    ...(file === undefined ? {} : { file }),
    ...(line === undefined ? {} : { line }),
    ...(reruns === 0 ? {} : { reruns }),
    ...(Object.keys(properties).length === 0 ? {} : { properties }),
  };
}

function milliseconds(seconds: string | undefined): number | null {
  // Some tools write 1,234.5 with a thousands separator.
  const value = number(Number((seconds ?? "").replaceAll(",", "")));
  return value === null || seconds === undefined || seconds === "" ? null : Math.round(value * 1e6) / 1000;
}

function disagreement(suites: readonly JUnitSuite[], total: number): string[] {
  const outer = suites.filter((suite) => suite.element === "testsuite");
  const counted = outer.length === 1 || outer.every((suite) => suite.depth === 1) ? outer : [];
  if (counted.length === 0 || suites.length >= 1000 || counted.some((suite) => suite.attributes.tests === undefined))
    return [];
  const said = counted.reduce((sum, suite) => sum + Number(suite.attributes.tests), 0);
  return said === total ? [] : [`the file claims ${said} tests but contains ${total}; those it contains are used`];
}
