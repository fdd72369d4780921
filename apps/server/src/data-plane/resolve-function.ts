/**
 * Which function of schema `api` a call means: by its name and argument names, as PostgREST decides it.
 *
 * - `resolveFunction(functions, name, given)` the matching one; throws PGRST202 (none) or PGRST203 (several).
 */
import { nearest } from "@devflow/core/nearest";
import { type DatabaseRole, Refusal } from "./failure.ts";

export interface FunctionArgument {
  readonly name: string;
  /** As SQL writes it: `timestamp with time zone`. */
  readonly type: string;
  readonly required: boolean;
}

export const resultKinds = ["void", "scalar", "row"] as const;
export type ResultKind = (typeof resultKinds)[number];

export interface ApiFunction {
  readonly name: string;
  readonly args: readonly FunctionArgument[];
  readonly result: ResultKind;
  readonly isSet: boolean;
  /** Stable or immutable: may be called by GET, in a read-only transaction. */
  readonly isReadOnly: boolean;
  /** Who may execute it; hints name it only to those. */
  readonly roles: readonly DatabaseRole[];
}

export function resolveFunction(
  functions: readonly ApiFunction[],
  name: string,
  given: readonly string[],
  role: DatabaseRole,
): ApiFunction {
  const fitting = functions.filter((one) => one.name === name && fits(one, given));
  if (fitting.length === 1 && fitting[0]) return fitting[0];
  if (fitting.length > 1) throw ambiguous(name, fitting);
  throw notFound(functions, name, given, role);
}

function fits(one: ApiFunction, given: readonly string[]): boolean {
  return (
    given.every((name) => one.args.some((arg) => arg.name === name)) &&
    one.args.every((arg) => !arg.required || given.includes(arg.name))
  );
}

function notFound(
  functions: readonly ApiFunction[],
  name: string,
  given: readonly string[],
  role: DatabaseRole,
): Refusal {
  const visible = functions.filter((one) => one.roles.includes(role));
  const sameName = visible.filter((one) => one.name === name);
  const meant = sameName.length > 0 ? name : nearest(name, [...new Set(visible.map((one) => one.name))]);
  const candidates = visible.filter((one) => one.name === meant);
  const asked = `api.${name}(${given.join(", ")})`;
  return new Refusal(404, {
    code: "PGRST202",
    message: `Could not find the function ${asked} in the schema cache`,
    details:
      given.length > 0
        ? `No function api.${name} takes exactly the arguments ${given.join(", ")}.`
        : `No function api.${name} can be called without arguments.`,
    hint: candidates.length > 0 ? `Perhaps you meant to call ${candidates.map(signature).join(" or ")}` : null,
  });
}

function ambiguous(name: string, fitting: readonly ApiFunction[]): Refusal {
  return new Refusal(300, {
    code: "PGRST203",
    message: `Could not choose the best candidate function between: ${fitting.map(signature).join(", ")}`,
    details: null,
    hint: `Add arguments to api.${name} that distinguish these.`,
  });
}

function signature(one: ApiFunction): string {
  return `api.${one.name}(${one.args.map((arg) => `${arg.name} => ${arg.type}`).join(", ")})`;
}
