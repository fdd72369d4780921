/**
 * A template: the roles and phases of a kind of work. Published versions never change; the hash proves it.
 *
 * - `Template` the zod schema, with the rules that hold between its parts.
 * - `templateHash(template)` of the parsed content after defaults.
 */
import { capabilities, phaseKinds, riskLevels } from "@devflow/core/enums";
import { hash } from "@devflow/core/hash";
import { backendName } from "@devflow/protocol";
import { z } from "zod";

const name = z.string().regex(/^[a-z][a-z0-9-]*$/, "lower case letters, digits and dashes");
const key = z.string().regex(/^[a-z][a-z0-9_]*$/, "lower case letters, digits and underscores");

/** Conditions that `when` and `loop.while` may name. */
const conditions = ["findings", "blocking_findings", "failed"] as const;
export type Condition = (typeof conditions)[number];

export const TemplateRole = z.strictObject({
  id: key,
  requiredCapabilities: z.array(z.enum(capabilities)),
  preferredBackends: z.array(backendName).default([]),
  /** Take the first preferred backend that this machine has, instead of asking for the one that it lacks. */
  useAvailable: z.boolean().optional(),
  count: z.number().int().min(1).max(9).default(1),
  diversity: z
    .strictObject({
      requireDifferentBackends: z.boolean().default(false),
      /** The same, but only where the machine has agents of several vendors. */
      preferDifferentBackends: z.boolean().optional(),
    })
    .optional(),
});
export type TemplateRole = z.output<typeof TemplateRole>;

const Command = z.union([
  z.strictObject({ argv: z.array(z.string().min(1)).min(1) }),
  /** The repository's own setting of that name, read from the base commit. */
  z.strictObject({ from: z.enum(["test", "setup"]) }),
]);

export const TemplatePhase = z.strictObject({
  key,
  kind: z.enum(phaseKinds),
  title: z.string().min(1),
  risk: z.enum(riskLevels),
  roles: z.array(z.string()).default([]),
  expectedArtifact: z
    .strictObject({
      path: z.string().regex(/^(?!\/)(?!.*\.\.)[\w./{}-]+$/, "a relative path without .."),
      schema: z.string().regex(/^[a-z]+\/[a-z-]+@\d+$/, "domain/name@version"),
    })
    .optional(),
  instructions: z.string().default(""),
  inputs: z.array(z.string()).default([]),
  gates: z.array(z.string().regex(/^(auto:)?[a-z][a-z0-9_]*$/)).default([]),
  command: Command.optional(),
  /** For `kind: lanes`: the phase that cuts the work into tasks, the template of each lane, and how many may work at once. */
  lanes: z
    .strictObject({
      from: key,
      template: z.string().regex(/^[a-z][a-z0-9-]*@\d+$/, "name@version"),
      most: z.number().int().min(1).max(32).optional(),
    })
    .optional(),
  when: z.enum(conditions).optional(),
  loop: z.strictObject({ to: key, max: z.number().int().min(1).max(10), while: z.enum(conditions) }).optional(),
  timeoutMs: z.number().int().positive().optional(),
  /** A gate may pause the run when nobody answers; it never decides. */
  approvalTimeoutMs: z.number().int().positive().optional(),
});
export type TemplatePhase = z.output<typeof TemplatePhase>;

export const Template = z
  .strictObject({
    name,
    version: z.number().int().positive(),
    roles: z.array(TemplateRole),
    phases: z.array(TemplatePhase).min(1),
    defaultGates: z.array(z.string()).default([]),
    /** One active run at a time on the same base branch of the same repository. */
    exclusive: z.boolean().default(false),
    /** The person who started the run may not decide its gates. */
    deciderMayNotBeStarter: z.boolean().default(false),
  })
  .superRefine((template, context) => {
    for (const { path, message } of faultsBetween(template)) context.addIssue({ code: "custom", path, message });
  });
export type Template = z.output<typeof Template>;

interface Fault {
  readonly path: (string | number)[];
  readonly message: string;
}

function faultsBetween(template: { roles: TemplateRole[]; phases: TemplatePhase[] }): Fault[] {
  const roles = new Map(template.roles.map((role) => [role.id, role]));
  const order = new Map(template.phases.map((phase, index) => [phase.key, index]));
  return [
    ...duplicates(template.roles.map((role) => role.id)).map((index) => at(["roles", index, "id"], "used twice")),
    ...duplicates(template.phases.map((phase) => phase.key)).map((index) => at(["phases", index, "key"], "used twice")),
    ...template.phases.flatMap((phase, index) => phaseFaults(phase, index, roles, order)),
    ...laneFaults(template.phases),
  ];
}

function phaseFaults(
  phase: TemplatePhase,
  index: number,
  roles: ReadonlyMap<string, TemplateRole>,
  order: ReadonlyMap<string, number>,
): Fault[] {
  const here = (part: (string | number)[], message: string) => at(["phases", index, ...part], message);
  const faults: Fault[] = [];
  phase.roles.forEach((role, place) => {
    const [id = "", instance] = role.split("#", 2);
    const known = roles.get(id);
    if (!known) faults.push(here(["roles", place], `no role "${id}" in this template`));
    else if (instance !== undefined && Number(instance) >= known.count) {
      faults.push(here(["roles", place], `role "${id}" has only ${known.count} instance(s)`));
    }
  });
  if (phase.roles.length > 0 && !phase.expectedArtifact) {
    faults.push(here(["expectedArtifact"], "a phase with roles needs an expected artifact"));
  }
  if (phase.roles.length === 0 && phase.expectedArtifact) {
    faults.push(here(["expectedArtifact"], "unused: the phase has no roles"));
  }
  if (phase.kind === "command" && !phase.command) faults.push(here(["command"], "a command phase needs a command"));
  if (phase.kind !== "command" && phase.command) faults.push(here(["command"], "only a command phase has a command"));
  phase.inputs.forEach((input, place) => {
    const found = order.get(input);
    if (found === undefined) faults.push(here(["inputs", place], `no phase "${input}"`));
    else if (found >= index) faults.push(here(["inputs", place], `phase "${input}" comes later`));
  });
  if (phase.loop) {
    const target = order.get(phase.loop.to);
    if (target === undefined) faults.push(here(["loop", "to"], `no phase "${phase.loop.to}"`));
    else if (target > index) faults.push(here(["loop", "to"], "a loop leads back, not forward"));
    if (phase.loop.while === "failed" && phase.kind !== "command") {
      faults.push(here(["loop", "while"], "only a command phase can fail and continue"));
    }
  }
  return faults;
}

/** Lanes have one branch each, named after their tasks, so a template has one phase of them. */
function laneFaults(phases: readonly TemplatePhase[]): Fault[] {
  return phases.flatMap((phase, index) => {
    const here = (part: string, message: string) => at(["phases", index, part], message);
    if (phase.kind !== "lanes") return phase.lanes ? [here("lanes", "only a phase of kind lanes has lanes")] : [];
    if (!phase.lanes) return [here("lanes", "a phase of kind lanes needs lanes: { from, template }")];
    const { from } = phase.lanes;
    const source = phases.slice(0, index).find((one) => one.key === from);
    const isGraph = source?.expectedArtifact?.schema.startsWith("dev/dag@") === true;
    return [
      ...(isGraph ? [] : [here("lanes", `no phase "${from}" before it writes a dev/dag artifact`)]),
      ...(phase.roles.length === 0 ? [] : [here("roles", "the roles are those of the lanes' template")]),
      ...(phases.findIndex((one) => one.kind === "lanes") < index ? [here("kind", "there can be one such phase")] : []),
    ];
  });
}

const at = (path: (string | number)[], message: string): Fault => ({ path, message });

function duplicates(values: readonly string[]): number[] {
  return values.flatMap((value, index) => (values.indexOf(value) < index ? [index] : []));
}

export const templateId = ({ name, version }: { name: string; version: number }): string => `${name}@${version}`;

/** `gates` and `capabilitiesRequired` are derived, so that changing either visibly changes the hash. */
export function templateHash(template: Template): string {
  const { defaultGates, ...rest } = template;
  const required = new Set(template.roles.flatMap((role) => role.requiredCapabilities));
  return hash({ ...rest, gates: defaultGates, capabilitiesRequired: [...required].sort() });
}

/** Every gate of a phase in the order in which people are asked. */
export function effectiveGates(template: Template, phase: TemplatePhase): string[] {
  return [...new Set([...template.defaultGates, ...phase.gates])];
}

/** Instances of a role as bindings name them: `reviewer#0`, `reviewer#1`; a single one keeps the plain name. */
export function instancesOf(role: TemplateRole): string[] {
  return role.count === 1 ? [role.id] : Array.from({ length: role.count }, (_, index) => `${role.id}#${index}`);
}

/** The instances that work in a phase: a plain role name means all of them. */
export function instancesIn(template: Template, phase: TemplatePhase): string[] {
  return phase.roles.flatMap((named) => {
    if (named.includes("#")) return [named];
    const role = template.roles.find((one) => one.id === named);
    return role ? instancesOf(role) : [];
  });
}
