/** Overrides of a request as binding takes them: without members that are only undefined. */
import type { BindingOverride } from "../binding/bind.ts";

type GivenOverrides = Readonly<
  Record<string, { readonly [Name in keyof BindingOverride]?: BindingOverride[Name] | undefined }>
>;

export function overridesOf(given: GivenOverrides | undefined): Record<string, BindingOverride> {
  return Object.fromEntries(
    Object.entries(given ?? {}).map(([role, { persona, backend, model }]) => [
      role,
      {
        ...(persona === undefined ? {} : { persona }),
        ...(backend === undefined ? {} : { backend }),
        ...(model === undefined ? {} : { model }),
      },
    ]),
  );
}
