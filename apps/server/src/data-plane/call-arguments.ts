/**
 * The arguments of a call as JSON text, read but not rewritten: numbers keep their digits, and only what jsonb and text
 * cannot store is replaced.
 *
 * - `argumentsOf(text)` names and JSON text of a body; throws PGRST102 when it is not a JSON object.
 * - `argumentsOfQuery(values)` the same for GET, where every value is text that Postgres converts.
 */
import { isUuid } from "@devflow/core/ids";
import { Refusal } from "./failure.ts";
import { sanitiseJsonText } from "./sanitise-json-text.ts";

export interface CallArguments {
  readonly names: readonly string[];
  readonly json: string;
  /** True when U+0000 or a lone surrogate was replaced; the function records it in the row. */
  readonly sanitised: boolean;
  /** The team named in the arguments, if any. */
  readonly teamId: string | undefined;
}

export function argumentsOf(text: string): CallArguments {
  if (text.trim() === "") return { names: [], json: "{}", sanitised: false, teamId: undefined };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw malformed("Empty or invalid json", (error as Error).message, error);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw malformed("The body is JSON, but not an object of named arguments", 'Send {"name": value}.');
  }
  const { json, sanitised } = sanitiseJsonText(text);
  const clean = (sanitised ? JSON.parse(json) : value) as { team_id?: unknown };
  return { names: Object.keys(clean), json, sanitised, teamId: teamIdOf(clean.team_id) };
}

export function argumentsOfQuery(values: Readonly<Record<string, string>>): CallArguments {
  const { json, sanitised } = sanitiseJsonText(JSON.stringify(values));
  return { names: Object.keys(values), json, sanitised, teamId: teamIdOf(values.team_id) };
}

function teamIdOf(value: unknown): string | undefined {
  return typeof value === "string" && isUuid(value) ? value.toLowerCase() : undefined;
}

function malformed(message: string, details: string, cause?: unknown): Refusal {
  return new Refusal(400, { code: "PGRST102", message, details, cause });
}
