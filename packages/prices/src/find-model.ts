/**
 * Finds the row of the price table for a model's name.
 *
 * - `findModel(table, name)` the provider with only that model, or the reason why there is no price.
 * - `nameOfModel(name)` the name without provider prefix and date suffix.
 *
 * The table's own matching is loose: `claude-sonnet-4-6-my-tune` finds `claude-sonnet-4-6`. Here a match counts only if the name
 * is the model's id or one of its listed names, optionally followed by a date or `latest`.
 */
import type { MatchLogic, ModelInfo, Provider } from "@pydantic/genai-prices";

type Table = typeof import("@pydantic/genai-prices");

export type FoundModel = { readonly id: string; readonly provider: Provider } | { readonly reason: string };

export function findModel(table: Table, given: string): FoundModel {
  for (const { providerId, model } of readings(given)) {
    const match = matchIn(table, model, providerId);
    if (!match) continue;
    const { found, provider } = match;
    if (!isThatModel(found, model)) {
      return { reason: `${given} is not in the price table (${found.id} is, but may have another price)` };
    }
    // With only this model, later lookups need not search the whole table.
    return { id: found.id, provider: { ...provider, models: [{ ...found, match: { equals: found.id } }] } };
  }
  return { reason: `${given} is not in the price table` };
}

function matchIn(table: Table, model: string, providerId: string | undefined) {
  const options = providerId ? { providerId } : {};
  try {
    const priced = table.calcPrice({ input_tokens: 1 }, model, options);
    return priced ? { found: priced.model, provider: priced.provider } : undefined;
  } catch {
    // Some rows price other units than tokens, and throw.
    return undefined;
  }
}

/** The name as given, then with its prefix as the provider: `anthropic/claude-…`, `openai:gpt-…`. */
function readings(given: string): { readonly providerId: string | undefined; readonly model: string }[] {
  const asGiven = { providerId: undefined, model: given };
  const split = /^([a-z][\w-]*)[/:](.+)$/i.exec(given);
  const head = split?.[1];
  const rest = split?.[2];
  if (!head || !rest || head === "ft") return [asGiven];
  return [asGiven, { providerId: providers[head.toLowerCase()] ?? head.toLowerCase(), model: rest }];
}

/** Other names of the providers, used by gateways and tools. */
const providers: Readonly<Record<string, string>> = {
  bedrock: "aws",
  vertex: "google",
  vertex_ai: "google",
  gemini: "google",
  google_genai: "google",
  azure_openai: "azure",
  together: "together-ai",
  xai: "x-ai",
};

export function nameOfModel(given: string): string {
  const name = given.slice(Math.max(given.lastIndexOf("/"), given.startsWith("ft:") ? -1 : headEnd(given)) + 1);
  return withoutDate(name);
}

const headEnd = (given: string): number => /^[a-z][\w-]*:(?!\d)/i.exec(given)?.[0].length ?? 0;

const withoutDate = (name: string): string =>
  name.replace(/(?:[-@]\d{4}-?\d{2}-?\d{2}|-latest|@latest|@default)$/i, "").toLowerCase();

function isThatModel(found: ModelInfo, model: string): boolean {
  const names = [found.id, ...equalNames(found.match)].map((name) => name.toLowerCase());
  const asked = model.toLowerCase();
  const plain = (name: string) => withoutRegion(withoutDate(name));
  return names.includes(asked) || names.some((name) => plain(name) === plain(asked));
}

/** AWS offers one model in several regions: `us.anthropic.…` is the table's `regional.anthropic.…`. */
const withoutRegion = (name: string): string => name.replace(/^(?:us|eu|apac|jp|au|global|regional)\./, "");

function equalNames(match: MatchLogic): string[] {
  if ("equals" in match) return [match.equals];
  if ("or" in match) return match.or.flatMap(equalNames);
  return [];
}
