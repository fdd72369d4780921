/**
 * Who will play in the lanes of a run, decided with the bindings of the run itself: a run whose lanes nobody could play in
 * does not begin.
 *
 * - `bindLanes(context, snapshot, bindings)` what becomes part of the run's locked hash, or why it cannot be. Undefined when
 *   the run has no lanes.
 * - `laneBackends(context, snapshot, template)` the agents that a machine must have to take a lane.
 */
import { type BindingOverride, bindRoles, type RoleBinding } from "../binding/bind.ts";
import type { EngineContext } from "../engine/context.ts";
import type { BindingRow } from "../engine/rows.ts";
import type { LaneDefinitions, Snapshot } from "../engine/snapshot.ts";
import type { BoundInstance } from "../fork/fork-overrides.ts";
import { loadPersonas } from "../personas/load-personas.ts";
import { Persona, personaId } from "../personas/persona.ts";
import { Template } from "../templates/index.ts";
import { laneOverrides } from "./lane-definitions.ts";

export interface BoundLanes {
  readonly templateHash: string;
  readonly bindings: readonly { readonly role: string; readonly personaHash: string; readonly backend: string }[];
}

export async function bindLanes(
  context: EngineContext,
  { lanes, overrides }: Snapshot,
  bindings: readonly RoleBinding[],
): Promise<BoundLanes | { readonly fault: string } | undefined> {
  if (!lanes) return undefined;
  const template = await laneTemplate(context, lanes);
  const bound = bindings.map(({ instance, persona, override }) => ({
    instance,
    persona: personaId(persona),
    model: (override as { model?: string } | null)?.model,
  }));
  const outcome = await bindLane(context, { lanes, overrides }, template, bound);
  if (!outcome.ok) return { fault: `${outcome.code}: in a lane (${lanes.template}), ${outcome.reason}` };
  return {
    templateHash: lanes.hash,
    bindings: outcome.bindings.map(({ instance, personaHash, backend }) => ({ role: instance, personaHash, backend })),
  };
}

async function bindLane(
  context: EngineContext,
  { lanes, overrides }: Pick<Snapshot, "lanes" | "overrides">,
  template: Template,
  bound: readonly BoundInstance[],
) {
  return bindRoles({
    template,
    personas: await loadPersonas(context.database, lanes?.personas ?? []),
    overrides: laneOverrides(template, bound, overrides as Record<string, BindingOverride>),
    backends: context.backends,
  });
}

export async function laneBackends(context: EngineContext, snapshot: Snapshot, template: Template): Promise<string[]> {
  const outcome = await bindLane(context, snapshot, template, inherited(snapshot.bindings));
  // Why nobody can play is told when the lane locks its own bindings.
  return outcome.ok ? [...new Set(outcome.bindings.map((one) => one.backend))] : [];
}

export async function laneTemplate({ database }: Pick<EngineContext, "database">, { row }: LaneDefinitions) {
  const [found] = await database.asEngine(
    (tx) => tx<{ definition: unknown }[]>`select definition from app.workflow_templates where id = ${row}`,
  );
  return Template.parse(found?.definition);
}

/** The parent's bindings as its lanes inherit them. */
export const inherited = (bindings: readonly BindingRow[]): BoundInstance[] =>
  bindings.map(({ role_id: instance, persona, override }) => ({
    instance,
    persona: personaId(Persona.parse(persona)),
    model: override?.model,
  }));
