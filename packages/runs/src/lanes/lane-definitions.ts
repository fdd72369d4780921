/**
 * What the lanes of a run will be made of, resolved when the run is started, so that nothing can change it later.
 *
 * - `resolveLanes(context, template, wanted)` the template of its lanes; undefined when it has none.
 * - `storeLanes(tx, resolved)` stores what came from the repository; returns what the run keeps.
 * - `laneOverrides(lane, bound, wanted)` who plays in a lane: whoever plays the role of that name in the parent. Pure.
 */
import { DevflowError } from "@devflow/core/errors";
import type { Transaction } from "@devflow/db";
import type { BindingOverride } from "../binding/bind.ts";
import type { EngineContext } from "../engine/context.ts";
import {
  type ResolvedDefinitions,
  resolveDefinitions,
  storeDefinitions,
  type WantedDefinitions,
} from "../engine/resolve-definitions.ts";
import type { LaneDefinitions } from "../engine/snapshot.ts";
import { type BoundInstance, forkOverrides } from "../fork/fork-overrides.ts";
import { instancesOf, type Template, templateId } from "../templates/index.ts";

export async function resolveLanes(
  context: EngineContext,
  template: Template,
  wanted: Omit<WantedDefinitions, "template">,
): Promise<ResolvedDefinitions | undefined> {
  const named = template.phases.find((phase) => phase.lanes)?.lanes?.template;
  if (named === undefined) return undefined;
  const resolved = await resolveDefinitions(context, { ...wanted, template: named });
  if (resolved.template.phases.some((phase) => phase.kind === "lanes")) {
    const problem = `The template ${named} of the lanes of ${templateId(template)} has lanes itself.`;
    throw new DevflowError("input_invalid", { details: { problem, next: `See: devflow template show ${named}` } });
  }
  return resolved;
}

export async function storeLanes(tx: Transaction, resolved: ResolvedDefinitions): Promise<LaneDefinitions> {
  const { templateRow } = await storeDefinitions(tx, resolved);
  return {
    template: templateId(resolved.template),
    hash: resolved.templateHash,
    row: templateRow,
    schemas: resolved.schemas as LaneDefinitions["schemas"],
    personas: resolved.repositoryPersonas.map((one) => one.hash),
  };
}

type Overrides = Readonly<Record<string, BindingOverride>>;

export function laneOverrides(lane: Template, bound: readonly BoundInstance[], wanted: Overrides): Overrides {
  const known = new Set(lane.roles.flatMap((role) => [role.id, ...instancesOf(role)]));
  // Overrides for roles that only the parent has are not for its lanes.
  const own = Object.fromEntries(Object.entries(wanted).filter(([role]) => known.has(role)));
  return forkOverrides(lane, bound, own);
}
