/**
 * Validation errors in plain words for the author of the file: which member, what is wrong, what is allowed.
 *
 * - `describeErrors(errors)` at most `mostErrors` of them, and the number of the rest.
 */
import { nearest } from "@devflow/core/nearest";
import type { EvaluationError } from "@devflow/json-schema";

export interface ArtifactError {
  /** `requirements[0].priority`; `(file)` for the whole. */
  readonly path: string;
  readonly message: string;
}

const mostErrors = 50;

interface Parent {
  readonly properties?: Readonly<Record<string, { readonly description?: string }>>;
  readonly description?: string;
}

export function describeErrors(errors: readonly EvaluationError[]): ArtifactError[] {
  const shown = new Map<string, ArtifactError>();
  for (const error of errors.slice(0, mostErrors)) {
    const one = { path: shownPath(error.instancePath), message: messageOf(error) };
    shown.set(`${one.path} ${one.message}`, one);
  }
  const left = Math.max(0, errors.length - mostErrors);
  const errorsShown = [...shown.values()];
  return left > 0
    ? [...errorsShown, { path: "(file)", message: `and ${left} more error(s) of the same kinds` }]
    : errorsShown;
}

function messageOf(error: EvaluationError): string {
  const { keyword, params, data } = error;
  const parent = (error.parentSchema ?? {}) as Parent;
  const limit = params.limit as number;
  switch (keyword) {
    case "required": {
      const name = params.missingProperty as string;
      const about = parent.properties?.[name]?.description;
      return `member "${name}" is missing${about ? ` (${about})` : ""}`;
    }
    case "additionalProperties":
    case "unevaluatedProperties": {
      const name = (params.additionalProperty ?? params.unevaluatedProperty) as string;
      const allowed = Object.keys(parent.properties ?? {});
      const near = nearest(name, allowed);
      return `member "${clip(name)}" is not known${near ? `; did you mean "${near}"?` : ""}${allowed.length > 0 ? ` Allowed: ${allowed.join(", ")}` : ""}`;
    }
    case "enum":
      return `must be one of ${(params.allowedValues as unknown[]).map(shown).join(", ")}; it is ${shown(data)}`;
    case "const":
      return `must be ${shown(params.allowedValue)}; it is ${shown(data)}`;
    case "type":
      return `must be ${typeNames(params.type as string | string[])}; it is ${typeOf(data)}`;
    case "minLength":
      return limit === 1
        ? `must not be empty${about(parent)}`
        : `must have at least ${limit} characters${about(parent)}`;
    case "maxLength":
      return `must have at most ${limit} characters; it has ${[...String(data)].length}`;
    case "minItems":
      return limit === 1 ? `must have at least one entry${about(parent)}` : `must have at least ${limit} entries`;
    case "maxItems":
      return limit === 0 ? "must be empty" : `must have at most ${limit} entries; it has ${(data as unknown[]).length}`;
    case "minimum":
    case "maximum":
    case "exclusiveMinimum":
    case "exclusiveMaximum":
      return `must be ${params.comparison as string} ${limit}; it is ${shown(data)}`;
    case "pattern":
      return `${shown(data)} does not have the form ${params.pattern as string}${about(parent)}`;
    case "uniqueItems":
      return `entries ${params.j as number} and ${params.i as number} are equal`;
    case "multipleOf":
      return `must be a multiple of ${params.multipleOf as number}; it is ${shown(data)}`;
    case "minProperties":
      return `must have at least ${limit} member(s)`;
    case "maxProperties":
      return `must have at most ${limit} member(s)`;
    case "dependentRequired":
      return `member "${params.missingProperty as string}" is missing; "${params.property as string}" needs it`;
    case "propertyNames":
      return `a member may not be called "${clip(params.name as string)}"`;
    case "items":
      return `must have at most ${limit} entries; it has ${(data as unknown[]).length}`;
    case "unevaluatedItems":
      return `entry ${params.index as number} is not allowed here`;
    case "contains":
      return params.maxContains === undefined
        ? `must contain at least ${params.minContains as number} matching entries; it has ${params.count as number}`
        : `must contain at most ${params.maxContains as number} matching entries; it has ${params.count as number}`;
    case "false":
      return "is not allowed here";
    case "not":
      return `must not have this form${about(parent)}; it is ${shown(data)}`;
    case "anyOf":
      return `must have at least one of the allowed forms${about(parent)}`;
    case "oneOf":
      return params.passing === 0
        ? `must have one of the allowed forms${about(parent)}`
        : `must have exactly one of the allowed forms; it has ${params.passing as number}${about(parent)}`;
    default:
      return `fails "${keyword}"`;
  }
}

const about = ({ description }: Parent): string => (description ? ` (${description})` : "");

/** Converts a JSON pointer: `/requirements/0/priority` becomes `requirements[0].priority`. */
function shownPath(pointer: string): string {
  if (pointer === "") return "(file)";
  const parts = pointer
    .slice(1)
    .split("/")
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  return parts.map((part, index) => (/^\d+$/.test(part) ? `[${part}]` : index === 0 ? part : `.${part}`)).join("");
}

function shown(value: unknown): string {
  return clip(JSON.stringify(value) ?? String(value));
}

const clip = (text: string): string => (text.length > 120 ? `${text.slice(0, 120)}…` : text);

const articles: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
  object: "an object",
  array: "an array",
  null: "null",
};

function typeNames(type: string | readonly string[]): string {
  const names = typeof type === "string" ? type.split(",") : type;
  return names.map((name) => articles[name] ?? name).join(" or ");
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "boolean") return String(value);
  return articles[typeof value] ?? typeof value;
}
