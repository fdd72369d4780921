/** `withEnvironment(value, env)` fills `env` into the texts of a value, and leaves other variables for later. */
import { renderTemplate } from "../template/index.ts";
import { isMembers } from "./suite.ts";

export function withEnvironment<T>(value: T, env: Readonly<Record<string, string | undefined>>): T {
  if (typeof value === "string") {
    return value.replace(/\{\{[^{}]*\benv\b[^{}]*\}\}/g, (tag) => renderTemplate(tag, {}, { env })) as T;
  }
  if (Array.isArray(value)) return value.map((one) => withEnvironment(one as unknown, env)) as T;
  if (!isMembers(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withEnvironment(one, env)])) as T;
}
