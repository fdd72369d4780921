/**
 * Binding: which persona plays which role in a run. Pure and deterministic: the same template, personas, overrides and
 * backends always give the same bindings, and every persona that was not chosen has a reason.
 *
 * - `bindRoles(input)` the bindings of all instances with explanations, or the first failure with explanations.
 */
import { type Backend, withinRisk } from "@devflow/core/enums";
import { type Persona, personaHash, personaId } from "../personas/persona.ts";
import { instancesOf, type Template, type TemplateRole } from "../templates/index.ts";

export interface BindingOverride {
  /** `name@version`. */
  readonly persona?: string;
  readonly backend?: Backend;
  /** Instead of the persona's. */
  readonly model?: string;
}

export interface BackendAvailability {
  readonly available: boolean;
  /** Why not: disabled, or no executable found. */
  readonly reason?: string;
  /** Which adapter new sessions get; by default the one of the backend's name. */
  readonly adapter?: string;
  /** Who makes the agent: two backends of one vendor are not diverse. By default the backend's name. */
  readonly vendor?: string;
}

export interface BindInput {
  readonly template: Template;
  readonly personas: readonly Persona[];
  /** Keyed by role or by instance; the instance wins. */
  readonly overrides: Readonly<Record<string, BindingOverride>>;
  readonly backends: Readonly<Record<Backend, BackendAvailability>>;
  /** Whether a fake persona may be chosen although no role prefers it. */
  readonly allowFake?: boolean;
}

export interface RoleBinding {
  readonly instance: string;
  readonly role: string;
  readonly persona: Persona;
  readonly personaHash: string;
  readonly backend: Backend;
  readonly override: BindingOverride | null;
}

export interface Explanation {
  readonly instance: string;
  readonly chosen: string | undefined;
  readonly why: string;
  readonly others: readonly { readonly persona: string; readonly why: string }[];
}

export type BindFailureCode =
  | "no_eligible_persona"
  | "backend_unavailable"
  | "override_invalid"
  | "diversity_unsatisfied";

export type BindResult =
  | { readonly ok: true; readonly bindings: readonly RoleBinding[]; readonly explanations: readonly Explanation[] }
  | {
      readonly ok: false;
      readonly code: BindFailureCode;
      readonly reason: string;
      readonly explanations: readonly Explanation[];
    };

interface Candidate {
  readonly persona: Persona;
  readonly hash: string;
}

export function bindRoles(input: BindInput): BindResult {
  const unknown = Object.keys(input.overrides).find((key) => !namesARole(input.template, key));
  if (unknown) return failed("override_invalid", `there is no role "${unknown}" to override`, []);
  const bindings: RoleBinding[] = [];
  const explanations: Explanation[] = [];
  for (const role of input.template.roles) {
    const outcome = bindRole(role, input);
    explanations.push(...outcome.explanations);
    if (!outcome.ok) return { ...outcome, explanations };
    bindings.push(...outcome.bindings);
  }
  return { ok: true, bindings, explanations };
}

function bindRole(role: TemplateRole, input: BindInput): BindResult {
  const instances = instancesOf(role);
  const choices: Choice[] = [];
  for (const instance of instances) {
    const override = overrideOf(input, instance) ?? overrideOf(input, role.id) ?? null;
    const judged = candidatesFor(role, override, input);
    if (!judged.ok) {
      const explanation = { instance, chosen: undefined, why: judged.reason, others: inOrder(judged.rejected) };
      return failed(judged.code, `role ${instance}: ${judged.reason}`, [explanation]);
    }
    choices.push({ instance, override, ...judged });
  }
  const assignment = assignmentFor(
    role,
    choices.map((one) => one.candidates),
    input,
  );
  if (!assignment) {
    const missing = missingBackends(choices, input);
    const reason =
      `its ${role.count} instances need different backends, and the eligible personas do not have them` +
      (missing ? `: ${missing}` : "");
    const explained = choices.map(({ instance, candidates, rejected }) => ({
      instance,
      chosen: undefined,
      why: reason,
      others: [
        ...candidates.map(({ persona }) => ({ persona: personaId(persona), why: `eligible, on ${persona.backend}` })),
        ...inOrder(rejected),
      ],
    }));
    return failed(missing ? "backend_unavailable" : "diversity_unsatisfied", `role ${role.id}: ${reason}`, explained);
  }
  const bindings = choices.map(({ instance, override }, index): RoleBinding => {
    const { persona, hash } = assignment[index] as Candidate;
    return { instance, role: role.id, persona, personaHash: hash, backend: persona.backend, override };
  });
  const explanations = choices.map((choice, index) => explain(choice, assignment, index));
  return { ok: true, bindings, explanations };
}

function assignmentFor(
  { diversity }: TemplateRole,
  candidates: readonly (readonly Candidate[])[],
  input: BindInput,
): Candidate[] | undefined {
  const { requireDifferentBackends: required = false, preferDifferentBackends: preferred = false } = diversity ?? {};
  const different = required || preferred ? assign(candidates, true, input) : undefined;
  return different ?? (required ? undefined : assign(candidates, false, input));
}

/** Own members only: a role may be called "constructor". */
const overrideOf = ({ overrides }: BindInput, key: string): BindingOverride | undefined =>
  Object.hasOwn(overrides, key) ? overrides[key] : undefined;

function explain(
  { instance, override, candidates, rejected }: Choice,
  assignment: readonly Candidate[],
  index: number,
): Explanation {
  const chosen = assignment[index] as Candidate;
  const why = override?.persona
    ? "named by the override"
    : candidates[0] === chosen
      ? "first in order of preference"
      : "first in order that keeps the backends different";
  const place = candidates.indexOf(chosen);
  const others = candidates.flatMap((one, at) =>
    one === chosen
      ? []
      : [
          {
            persona: personaId(one.persona),
            why: at < place ? whyPassedOver(one, assignment) : "eligible, but later in order",
          },
        ],
  );
  return { instance, chosen: personaId(chosen.persona), why, others: [...others, ...inOrder(rejected)] };
}

function whyPassedOver({ persona }: Candidate, assignment: readonly Candidate[]): string {
  return assignment.some((one) => one.persona.backend === persona.backend)
    ? `its backend ${persona.backend} is taken by another instance`
    : "it would leave no other backend for the remaining instances";
}

/** Whether the instances would have different backends if every backend were available. Then the missing ones are at fault. */
function missingBackends(choices: readonly Choice[], input: BindInput): string | undefined {
  const wished = assign(
    choices.map(({ candidates, unavailable }) => [...candidates, ...unavailable]),
    true,
    input,
  );
  const missing = wished
    ?.map((one) => one.persona.backend)
    .filter((backend) => !availability(input, backend).available);
  return missing?.length ? missing.map((backend) => unavailableBackend(backend, input)).join(", ") : undefined;
}

const unavailableBackend = (backend: Backend, input: BindInput): string =>
  `backend ${backend} is not available (${availability(input, backend).reason ?? "unknown"})`;

const availability = ({ backends }: BindInput, backend: Backend): BackendAvailability =>
  backends[backend] ?? { available: false, reason: "no agent of this name is configured; see devflow agent list" };

const vendorOf = (input: BindInput, { persona }: Candidate): string =>
  availability(input, persona.backend).vendor ?? persona.backend;

/** First assignment in lexicographic order of the candidates; backtracks only for diversity. */
function assign(
  choices: readonly (readonly Candidate[])[],
  differentBackends: boolean,
  input: BindInput,
): Candidate[] | undefined {
  const taken: Candidate[] = [];
  const place = (index: number): boolean => {
    if (index === choices.length) return true;
    for (const candidate of choices[index] ?? []) {
      if (differentBackends && taken.some((one) => vendorOf(input, one) === vendorOf(input, candidate))) continue;
      taken.push(candidate);
      if (place(index + 1)) return true;
      taken.pop();
    }
    return false;
  };
  return place(0) ? taken : undefined;
}

interface Rejection {
  readonly persona: string;
  readonly why: string;
}

/** The personas one instance may choose from. */
interface Choice {
  readonly instance: string;
  readonly override: BindingOverride | null;
  readonly candidates: readonly Candidate[];
  /** Eligible if their backend were available. */
  readonly unavailable: readonly Candidate[];
  readonly rejected: readonly Rejection[];
}

/** By name, so that the input order does not matter. */
const inOrder = (rejected: readonly Rejection[]): Rejection[] =>
  [...rejected].sort((a, b) => compare(a.persona, b.persona));

type Judged =
  | { ok: true; candidates: Candidate[]; unavailable: Candidate[]; rejected: Rejection[] }
  | { ok: false; code: BindFailureCode; reason: string; rejected: Rejection[] };

function candidatesFor(role: TemplateRole, override: BindingOverride | null, input: BindInput): Judged {
  if (override?.persona) return overridden(role, override, input);
  const eligible: Candidate[] = [];
  const rejected: Rejection[] = [];
  for (const persona of input.personas) {
    const why =
      ineligible(role, persona, input) ??
      (override?.backend && persona.backend !== override.backend
        ? `the override requires ${override.backend}`
        : undefined);
    if (why) rejected.push({ persona: personaId(persona), why });
    else eligible.push({ persona, hash: personaHash(persona) });
  }
  const preferred = eligible.filter(({ persona }) => role.preferredBackends.includes(persona.backend));
  const isFakeAllowed = input.allowFake || role.preferredBackends.includes("fake") || override?.backend === "fake";
  const pool = (preferred.length > 0 ? preferred : eligible).filter(
    ({ persona }) => persona.backend !== "fake" || isFakeAllowed,
  );
  for (const one of eligible) {
    if (pool.includes(one)) continue;
    const why =
      one.persona.backend === "fake" && !isFakeAllowed
        ? "fake personas are only for demos and tests"
        : `backend ${one.persona.backend} is not preferred by the role`;
    rejected.push({ persona: personaId(one.persona), why });
  }
  if (pool.length === 0)
    return { ok: false, code: "no_eligible_persona", reason: "no persona satisfies the role", rejected };
  const sorted = pool.sort((a, b) => order(role, a, b));
  const usable = sorted.filter(({ persona }) => availability(input, persona.backend).available);
  const first = sorted[0] as Candidate;
  const mayPassOver = role.useAvailable === true && usable.length > 0;
  // A missing preferred backend is an error to fix, not a reason to silently use another one, unless the role says so.
  if (!availability(input, first.persona.backend).available && !mayPassOver) {
    const reason = unavailableBackend(first.persona.backend, input);
    const others =
      usable.length > 0
        ? `; to use another one: --override ${role.id}=${personaId((usable[0] as Candidate).persona)}`
        : "";
    const passed = sorted.map(({ persona }) => ({
      persona: personaId(persona),
      why: availability(input, persona.backend).available
        ? "eligible, but later in order"
        : unavailableBackend(persona.backend, input),
    }));
    return {
      ok: false,
      code: "backend_unavailable",
      reason: `${reason}${others}`,
      rejected: [...passed, ...rejected],
    };
  }
  const unusable = sorted.filter((one) => !usable.includes(one));
  rejected.push(
    ...unusable.map(({ persona }) => ({
      persona: personaId(persona),
      why: unavailableBackend(persona.backend, input),
    })),
  );
  return { ok: true, candidates: usable, unavailable: unusable, rejected };
}

function overridden(role: TemplateRole, override: BindingOverride, input: BindInput): Judged {
  const persona = input.personas.find((one) => personaId(one) === override.persona);
  const rejected = input.personas
    .filter((one) => one !== persona)
    .map((one) => ({ persona: personaId(one), why: `the override names ${override.persona}` }));
  const refuse = (reason: string, code: BindFailureCode = "override_invalid"): Judged => ({
    ok: false,
    code,
    reason,
    rejected: persona ? [{ persona: personaId(persona), why: reason }, ...rejected] : rejected,
  });
  if (!persona) return refuse(`there is no persona ${override.persona}`);
  if (override.backend && override.backend !== persona.backend) {
    return refuse(`${override.persona} runs on ${persona.backend}, not on ${override.backend}`);
  }
  const why = ineligible(role, persona, input);
  if (why) return refuse(`${override.persona} cannot play it: ${why}`);
  if (!availability(input, persona.backend).available) {
    return refuse(unavailableBackend(persona.backend, input), "backend_unavailable");
  }
  return { ok: true, candidates: [{ persona, hash: personaHash(persona) }], unavailable: [], rejected };
}

/** Why a persona cannot play a role at all; undefined when it can. */
function ineligible(role: TemplateRole, persona: Persona, { template }: BindInput): string | undefined {
  if (persona.allowedRoles && !persona.allowedRoles.includes(role.id)) return "the persona does not allow this role";
  const missing = role.requiredCapabilities.filter((one) => !persona.capabilities.includes(one));
  if (missing.length > 0) return `lacks ${missing.join(", ")}`;
  const phases = template.phases.filter((phase) => phase.roles.some((named) => named.split("#")[0] === role.id));
  const risky = phases.find((phase) => !withinRisk(phase.risk, persona.maxRiskLevel));
  return risky ? `phase ${risky.key} has risk ${risky.risk}, above its limit ${persona.maxRiskLevel}` : undefined;
}

function order(role: TemplateRole, a: Candidate, b: Candidate): number {
  const rank = ({ persona }: Candidate) => {
    const index = role.preferredBackends.indexOf(persona.backend);
    return index < 0 ? role.preferredBackends.length : index;
  };
  return (
    rank(a) - rank(b) ||
    b.persona.version - a.persona.version ||
    compare(a.persona.name, b.persona.name) ||
    compare(a.hash, b.hash)
  );
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function namesARole(template: Template, key: string): boolean {
  return template.roles.some((role) => role.id === key || instancesOf(role).includes(key));
}

const failed = (code: BindFailureCode, reason: string, explanations: readonly Explanation[]): BindResult => ({
  ok: false,
  code,
  reason,
  explanations,
});
