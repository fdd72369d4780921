/**
 * Runs a verb: its steps in order, each checked by its receipt. A target that is no longer where it was is looked for by its
 * role and name, then by the most similar name; what was found instead is reported and kept.
 *
 * - `runVerb(found, values, options)` the last answer, and what differed.
 * - `valuesFor(verb, words)` pure: `Bob`, `mail=b@example.com`.
 */
import { DevflowError } from "@devflow/core/errors";
import type { Answer, AnyBrowseCommand } from "../command.ts";
import { wordsOf } from "../evidence/index.ts";
import { recordedWord } from "../targets/recorded-target.ts";
import type { FoundVerb, Verb, VerbStep } from "./verb-file.ts";

export interface VerbRun {
  readonly last: Answer | undefined;
  readonly done: number;
  /** What is different from when it was learned; the first that stopped the run is last. */
  readonly differences: readonly string[];
  readonly isComplete: boolean;
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
  const result = (isComplete: boolean): VerbRun => {
    const isRepaired = steps.some((one, at) => one !== verb.steps[at]);
    const repaired = { ...verb, steps: [...steps, ...verb.steps.slice(steps.length)] };
    return { last, done: steps.length, differences, isComplete, ...(isRepaired && { repaired }) };
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
      const repair = step.on && (await repaired(error, step.on, attempt));
      if (!repair) {
        differences.push(`${what}: ${error instanceof Error ? error.message : error}`);
        return result(false);
      }
      last = repair.answer;
      used = { ...step, on: repair.on };
      differences.push(`${what}: now ${nameOf(repair.on)}`);
    }
    const fault = faultOf(step, last);
    if (fault) {
      differences.push(`${what}: ${fault}`);
      return result(false);
    }
    steps.push(used);
  }
  return result(true);
}

type Target = NonNullable<VerbStep["on"]>;
const nameOf = ({ role, name }: Pick<Target, "role" | "name">): string => `${role} ${JSON.stringify(name)}`;
const lost = new Set(["browse_no_match", "browse_many_match", "browse_target_invalid"]);

/** `@e3 button "Save" in "Initech"`; it has a place where there are others like it. */
const candidate = /@([ec]\d+) (\w+) ("(?:[^"\\]|\\.)*")( in ")?/g;

/** By role and name, then the most similar one of the same role that the failure names. */
async function repaired(
  error: unknown,
  on: Target,
  attempt: (word: string) => Promise<Answer>,
): Promise<{ on: Target; answer: Answer } | undefined> {
  if (!(error instanceof DevflowError) || !lost.has(error.code)) return undefined;
  const selectorOf = (name: string) => `role=${on.role}[name=${JSON.stringify(name)}]`;
  const byName = await attempt(`${on.role}:${JSON.stringify(on.name)}`).catch(() => undefined);
  if (byName) return { on: { ...on, selector: selectorOf(on.name) }, answer: byName };
  const near = [...String(error.details.closest ?? "").matchAll(candidate)];
  for (const [, ref, role, quoted, place] of near) {
    if (role !== on.role || !ref || !quoted) continue;
    const name = String(JSON.parse(quoted));
    // One of several with this name may be the wrong one.
    if (place || near.filter((one) => one[2] === role && one[3] === quoted).length > 1) continue;
    const answer = await attempt(`@${ref}`).catch(() => undefined);
    if (answer) return { on: { role, name, selector: selectorOf(name) }, answer };
  }
  return undefined;
}

function faultOf({ expect }: VerbStep, { data }: Answer): string | undefined {
  const seen = data as { title?: string; page?: { title?: string }; effect?: boolean } | null;
  const title = seen?.page?.title ?? seen?.title;
  if (expect?.page !== undefined && title !== expect.page)
    return `expected the page ${JSON.stringify(expect.page)}, but it is ${title === undefined ? "the same page" : JSON.stringify(title)}`;
  return expect?.effect && seen?.effect === false ? "it had no effect" : undefined;
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
      if (own === undefined) throw usage(`It takes ${names.length} values: ${names.join(", ")}.`);
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

function usage(problem: string, next = "See the verbs: devflow browse task"): DevflowError {
  return new DevflowError("usage", { details: { problem, next } });
}

/** Rather a value by a wrong name than a text that looks like one. */
function noSuchValue(name: string, word: string, names: readonly string[]): DevflowError {
  const [first] = names;
  if (first === undefined) return usage("It takes no values.");
  return usage(
    `It has no value ${name}. It takes: ${names.join(", ")}.`,
    `If that is the text itself: ${first}=${word}`,
  );
}
