/**
 * Runs a verb: its steps in order, each checked by what it led to. A target that is no longer there may have a successor; what
 * was used instead is reported, and kept once the whole verb has done what it should.
 *
 * - `runVerb(found, values, options)` the last answer, and what differed.
 * - `valuesFor(verb, words)` pure: `Bob`, `mail=b@example.com`.
 */
import { DevflowError } from "@devflow/core/errors";
import type { Answer, AnyBrowseCommand } from "../command.ts";
import { outcomeOf, wordsOf } from "../evidence/index.ts";
import type { LikeControl } from "../targets/controls-like.ts";
import { recordedWord } from "../targets/recorded-target.ts";
import { arrivalScript, type Expectation, isLate, unmet } from "./expectation.ts";
import { successorOf } from "./successor.ts";
import type { FoundVerb, Verb, VerbStep } from "./verb-file.ts";

export interface VerbRun {
  readonly last: Answer | undefined;
  readonly done: number;
  /** What is different from when it was learned; the first that stopped the run is last. */
  readonly differences: readonly string[];
  readonly isComplete: boolean;
  /** The step whose target is not on the page, and nothing that certainly took its place. */
  readonly lost?: number;
  /** The verb with its repaired targets; undefined when nothing was repaired. */
  readonly repaired?: Verb;
}

export interface RunOptions {
  readonly records: readonly AnyBrowseCommand[];
  readonly run: (words: readonly string[]) => Promise<Answer>;
  readonly signal: AbortSignal;
}

export async function runVerb(
  { verb }: FoundVerb,
  values: Readonly<Record<string, string>>,
  { records, run, signal }: RunOptions,
): Promise<VerbRun> {
  const differences: string[] = [];
  const steps: VerbStep[] = [];
  let last: Answer | undefined;
  const result = (isComplete: boolean, lost?: number): VerbRun => {
    const isRepaired = steps.some((one, at) => one !== verb.steps[at]);
    const repaired = { ...verb, steps: [...steps, ...verb.steps.slice(steps.length)] };
    return {
      last,
      done: steps.length,
      differences,
      isComplete,
      ...(isRepaired && { repaired }),
      ...(lost && { lost }),
    };
  };
  for (const [at, step] of verb.steps.entries()) {
    signal.throwIfAborted();
    const record = records.find(({ name }) => name === step.do);
    const what = `step ${at + 1}, ${step.do}${step.on ? ` ${nameOf(step.on)}` : ""}`;
    if (!record) {
      differences.push(`${what}: this Devflow has no such command`);
      return result(false);
    }
    const input = filled(step.with ?? {}, values) as Record<string, unknown>;
    const attempt = (word: string | undefined) =>
      run(wordsOf(record, { ...input, ...(word === undefined ? {} : { target: word }) }));
    let used = step;
    try {
      last = await attempt(step.on && recordedWord(step.on));
    } catch (error) {
      const repair = step.on && (await repaired(error, step.on, attempt).catch(() => undefined));
      if (!repair) {
        differences.push(`${what}: ${error instanceof Error ? error.message : error}`);
        return result(false, isLost(error) ? at + 1 : undefined);
      }
      last = repair.answer;
      used = { ...step, on: repair.on };
      differences.push(`${what}: now ${nameOf(repair.on)}`);
    }
    const faults = step.expect ? await faultsOf(step.expect, record, last, run) : [];
    if (faults.length > 0) {
      differences.push(...faults.map((fault) => `${what}: ${fault}`));
      return result(false);
    }
    steps.push(used);
  }
  return result(true);
}

type Target = NonNullable<VerbStep["on"]>;
const nameOf = ({ role, name }: Pick<Target, "role" | "name">): string => `${role} ${JSON.stringify(name)}`;
const lostCodes = new Set(["browse_no_match", "browse_many_match", "browse_target_invalid"]);
const isLost = (error: unknown): error is DevflowError => error instanceof DevflowError && lostCodes.has(error.code);

/** By its name, if only its selector is outdated; else what took its place. */
async function repaired(
  error: unknown,
  on: Target,
  attempt: (word: string) => Promise<Answer>,
): Promise<{ on: Target; answer: Answer } | undefined> {
  if (!isLost(error)) return undefined;
  const like = error.details.like as readonly LikeControl[] | undefined;
  if (!like) {
    const answer = await attempt(`${on.role}:${JSON.stringify(on.name)}`).catch(() => undefined);
    return answer && { on: { ...on, selector: exactSelector(on) }, answer };
  }
  const successor = successorOf(on, like);
  if (!successor) return undefined;
  const { ref, role, name, after, before } = successor;
  const answer = await attempt(`@${ref}`);
  return { on: { role, name, selector: exactSelector(successor), after, before }, answer };
}

const exactSelector = ({ role, name }: Target | LikeControl): string => `role=${role}[name=${JSON.stringify(name)}]`;

/** A page may need longer to arrive than a receipt waits. What went wrong by then needs no waiting. */
const arrivalMs = 3_000;

async function faultsOf(
  expected: Expectation,
  { name, effect }: AnyBrowseCommand,
  answer: Answer,
  run: RunOptions["run"],
): Promise<string[]> {
  const outcome = outcomeOf(name, effect, answer);
  if (!isLate(expected, outcome)) return unmet(expected, outcome);
  const arrival = run(["wait", `--fn=${arrivalScript(expected)}`, `--timeout=${arrivalMs}`]);
  const hasArrived = await arrival.then(
    () => true,
    () => false,
  );
  return hasArrived ? [] : unmet(expected, outcome);
}

function filled(value: unknown, values: Readonly<Record<string, string>>): unknown {
  if (typeof value === "string") return value.replace(/\{([^{}]+)\}/g, (all, name) => values[name] ?? all);
  if (Array.isArray(value)) return value.map((one) => filled(one, values));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, filled(one, values)]));
}

export function valuesFor({ takes }: Verb, words: readonly string[]): Record<string, string> {
  const names = Object.keys(takes);
  const values: Record<string, string> = {};
  let next = 0;
  for (const word of words) {
    const [, name, value] = /^([^=]+)=(.*)$/s.exec(word) ?? [];
    if (name !== undefined && value !== undefined && name in takes) values[name] = value;
    else {
      if (name !== undefined && /^[a-z][a-z0-9-]*$/.test(name)) throw noSuchValue(name, word, names);
      const own = names[next++];
      if (names.length === 0) throw usage(takesNone);
      if (own === undefined) throw usage(`It takes ${countOf(names)}: ${names.join(", ")}.`);
      values[own] = word;
    }
  }
  for (const [name, known] of Object.entries(takes)) {
    if (name in values) continue;
    if (known === null) throw usage(`It needs a value for ${name}.`);
    values[name] = known;
  }
  return values;
}

const takesNone = "It takes no values.";
const countOf = ({ length }: readonly string[]): string => (length === 1 ? "one value" : `${length} values`);

function usage(problem: string, next = "See the verbs: devflow browse task"): DevflowError {
  return new DevflowError("usage", { details: { problem, next } });
}

/** Rather a value by a wrong name than a text that looks like one. */
function noSuchValue(name: string, word: string, names: readonly string[]): DevflowError {
  const [first] = names;
  if (first === undefined) return usage(takesNone);
  return usage(
    `It has no value ${name}. It takes: ${names.join(", ")}.`,
    `If that is the text itself: ${first}=${word}`,
  );
}
