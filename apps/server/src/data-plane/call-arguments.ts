/**
 * The arguments of a call as JSON text, read but not rewritten: numbers keep their digits, and only what jsonb and text
 * cannot hold is replaced.
 *
 * - `argumentsOf(text)` names and JSON text of a body; throws PGRST102 when it is not a JSON object.
 * - `argumentsOfQuery(values)` the same for GET, where every value is text that Postgres converts.
 */
import { Refusal } from "./failure.ts";
import { sanitiseJsonText } from "./sanitise-json-text.ts";

export interface CallArguments {
  readonly names: readonly string[];
  readonly json: string;
  /** True when U+0000 or a lone surrogate was replaced; recorded in the row by the function. */
  readonly sanitised: boolean;
}

export function argumentsOf(text: string): CallArguments {
  if (text.trim() === "") return { names: [], json: "{}", sanitised: false };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw malformed("Empty or invalid json", (error as Error).message, error);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw malformed("The body is JSON, but not an object of named arguments", "Send {\"name\": value}.");
  }
  const { json, sanitised } = sanitiseJsonText(text);
  const names = Object.keys(value);
  return { names: sanitised ? Object.keys(JSON.parse(json)) : names, json, sanitised };
}

export function argumentsOfQuery(values: Readonly<Record<string, string>>): CallArguments {
  const { json, sanitised } = sanitiseJsonText(JSON.stringify(values));
  return { names: Object.keys(values), json, sanitised };
}

function malformed(message: string, details: string, cause?: unknown): Refusal {
  return new Refusal(400, { code: "PGRST102", message, details, cause });
}
