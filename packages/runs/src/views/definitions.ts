/** Templates and personas as the database has them: what a run could be started with. */
import type { PersonaView, TemplateView } from "@devflow/protocol";
import { Persona } from "../personas/persona.ts";
import { effectiveGates, Template } from "../templates/index.ts";
import type { Reader } from "./reader.ts";

export async function listTemplates({ database, claims }: Reader): Promise<TemplateView[]> {
  const rows = await database.withClaims(
    claims,
    (tx) => tx<{ hash: string; definition: unknown }[]>`
      select hash, definition from app.workflow_templates where not from_repository order by name, version`,
  );
  return rows.map(({ hash, definition }) => templateView(Template.parse(definition), hash));
}

export async function listPersonas({ database, claims }: Reader): Promise<PersonaView[]> {
  const rows = await database.withClaims(
    claims,
    (tx) => tx<{ hash: string; definition: unknown }[]>`
      select hash, definition from app.agent_personas where not from_repository order by name, version`,
  );
  return rows.map(({ hash, definition }) => personaView(Persona.parse(definition), hash));
}

export function templateView(template: Template, hash: string): TemplateView {
  return {
    name: template.name,
    version: template.version,
    hash,
    roles: template.roles.map(({ id, count, requiredCapabilities, preferredBackends }) => ({
      id,
      count,
      requiredCapabilities,
      preferredBackends,
    })),
    phases: template.phases.map((phase) => ({
      key: phase.key,
      title: phase.title,
      kind: phase.kind,
      risk: phase.risk,
      roles: phase.roles,
      gates: effectiveGates(template, phase),
      schema: phase.expectedArtifact?.schema ?? null,
      instructions: phase.instructions || null,
      inputs: phase.inputs,
      command: phase.command ?? null,
      when: phase.when ?? null,
      loop: phase.loop ?? null,
    })),
  };
}

export function personaView(persona: Persona, hash: string): PersonaView {
  const { name, version, backend, capabilities, maxRiskLevel, allowedRoles } = persona;
  return { name, version, hash, backend, capabilities, maxRiskLevel, allowedRoles: allowedRoles ?? null };
}
