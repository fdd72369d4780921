/**
 * Rules of a template beyond its shape: everything it names exists, and nothing is read before it is written.
 *
 * - `templateFaults(template, ownSchemas)` every violation with its path; empty when the template can be run.
 */
import { nearest } from "@devflow/core/nearest";
import { knownPathPlaceholders, pathPlaceholders, schemaIds } from "../artifacts/index.ts";
import {
  gateFault,
  knownPlaceholders,
  parsePlaceholder,
  placeholdersIn,
  type Template,
  type TemplatePhase,
} from "../templates/index.ts";

export interface TemplateFault {
  readonly path: (string | number)[];
  readonly message: string;
}

export function templateFaults(template: Template, ownSchemas: readonly string[] = []): TemplateFault[] {
  const known = [...schemaIds, ...ownSchemas];
  return [
    ...gateFaults(template.defaultGates, ["defaultGates"]),
    ...template.phases.flatMap((phase, index) => [
      ...gateFaults(phase.gates, ["phases", index, "gates"]),
      ...artifactFaults(template, phase, index, known),
      ...instructionFaults(template, phase, index),
    ]),
    ...unusedRoles(template),
  ];
}

function gateFaults(gates: readonly string[], path: (string | number)[]): TemplateFault[] {
  return gates.flatMap((gate, index) => {
    const message = gateFault(gate);
    return message ? [{ path: [...path, index], message }] : [];
  });
}

function artifactFaults(
  template: Template,
  phase: TemplatePhase,
  index: number,
  known: readonly string[],
): TemplateFault[] {
  const expected = phase.expectedArtifact;
  if (!expected) return [];
  const here = ["phases", index, "expectedArtifact"];
  const faults: TemplateFault[] = [];
  if (!known.includes(expected.schema)) {
    const near = nearest(expected.schema, known);
    const message = `there is no schema ${expected.schema}${near ? `; did you mean ${near}?` : `; there are ${known.join(", ")}`}`;
    faults.push({ path: [...here, "schema"], message });
  }
  for (const name of pathPlaceholders(expected.path)) {
    if ((knownPathPlaceholders as readonly string[]).includes(name)) continue;
    const known = knownPathPlaceholders.map((one) => `{${one}}`).join(", ");
    faults.push({ path: [...here, "path"], message: `{${name}} is not a placeholder for paths; use ${known}` });
  }
  if (/[{}]/.test(expected.path.replace(/\{[^{}]*\}/g, ""))) {
    faults.push({ path: [...here, "path"], message: "unclosed brace" });
  }
  const other = template.phases.slice(0, index).find((one) => one.expectedArtifact?.path === expected.path);
  if (other) faults.push({ path: [...here, "path"], message: `phase "${other.key}" writes the same file` });
  return faults;
}

function instructionFaults(template: Template, phase: TemplatePhase, index: number): TemplateFault[] {
  const path = ["phases", index, "instructions"];
  if (phase.roles.length === 0) {
    return phase.instructions ? [{ path, message: "unused: the phase has no roles" }] : [];
  }
  if (!phase.instructions.trim()) return [{ path, message: "a phase with roles needs instructions" }];
  return [...new Set(placeholdersIn(phase.instructions))].flatMap((inner) => {
    const message = placeholderFault(template, index, inner);
    return message ? [{ path, message }] : [];
  });
}

function placeholderFault(template: Template, index: number, inner: string): string | undefined {
  const parsed = parsePlaceholder(inner);
  if (!parsed) return `{{${inner}}} is not a placeholder; use one of ${knownPlaceholders.join(", ")}`;
  switch (parsed.kind) {
    case "requirements":
    case "comment":
      return undefined;
    case "findings": {
      const isReviewed = template.phases.some((one, at) => one.kind === "review" && canHaveRun(template, at, index));
      return isReviewed ? undefined : "{{findings}} needs a review phase before it";
    }
    case "artifact":
    case "log": {
      const at = template.phases.findIndex((one) => one.key === parsed.phase);
      const named = template.phases[at];
      if (!named) return `{{${inner}}}: there is no phase "${parsed.phase}"`;
      if (!canHaveRun(template, at, index)) return `{{${inner}}}: phase "${parsed.phase}" comes later`;
      if (parsed.kind === "artifact" && !named.expectedArtifact) return `{{${inner}}}: that phase writes no artifact`;
      if (parsed.kind === "log" && named.kind !== "command") return `{{${inner}}}: only a command phase has a log`;
      return undefined;
    }
  }
}

/** Before it, or after it with a loop that leads back to it or further. */
function canHaveRun(template: Template, at: number, index: number): boolean {
  if (at < index) return true;
  return template.phases.some((phase, place) => {
    const target = phase.loop ? template.phases.findIndex((one) => one.key === phase.loop?.to) : -1;
    return target >= 0 && target <= index && place >= at;
  });
}

function unusedRoles(template: Template): TemplateFault[] {
  return template.roles.flatMap((role, index) => {
    const isUsed = template.phases.some((phase) => phase.roles.some((named) => named.split("#")[0] === role.id));
    return isUsed ? [] : [{ path: ["roles", index, "id"], message: `no phase uses role "${role.id}"` }];
  });
}
