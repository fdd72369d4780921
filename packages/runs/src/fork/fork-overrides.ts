/**
 * Who plays in a fork: whoever played in its origin, except where the person says otherwise. Pure.
 *
 * - `forkOverrides(template, bound, wanted)` an override for every instance, so that a persona that was published since does
 *   not change what the person did not ask to change.
 */
import type { BindingOverride } from "../binding/bind.ts";
import { instancesOf, type Template } from "../templates/index.ts";

export interface BoundInstance {
  readonly instance: string;
  /** `name@version`. */
  readonly persona: string;
  readonly model: string | undefined;
}

type Overrides = Readonly<Record<string, BindingOverride>>;

export function forkOverrides(
  template: Template,
  bound: readonly BoundInstance[],
  wanted: Overrides,
): Record<string, BindingOverride> {
  const known = new Set(template.roles.flatMap((role) => [role.id, ...instancesOf(role)]));
  // An override for a role that does not exist is kept: binding refuses it by name.
  const stray = Object.entries(wanted).filter(([key]) => !known.has(key));
  const kept = template.roles.flatMap((role) =>
    instancesOf(role).flatMap((instance): [string, BindingOverride][] => {
      const before = bound.find((one) => one.instance === instance);
      const asked = own(wanted, instance) ?? own(wanted, role.id);
      const merged = merge(before, asked);
      return Object.keys(merged).length === 0 ? [] : [[instance, merged]];
    }),
  );
  return Object.fromEntries([...stray, ...kept]);
}

/** Another persona or backend brings its own model. */
function merge(before: BoundInstance | undefined, asked: BindingOverride | undefined): BindingOverride {
  if (asked?.persona !== undefined || asked?.backend !== undefined) return asked;
  const model = asked?.model ?? before?.model;
  return {
    ...(before === undefined ? {} : { persona: before.persona }),
    ...(model === undefined ? {} : { model }),
  };
}

/** Own members only: a role may be called "constructor". */
const own = (overrides: Overrides, key: string): BindingOverride | undefined =>
  Object.hasOwn(overrides, key) ? overrides[key] : undefined;
