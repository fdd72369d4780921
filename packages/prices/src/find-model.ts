/**
 * The row of the price table that is meant by a model's name, and no other.
 *
 * - `findModel(table, name)` the provider with that one model, or the reason why there is no price.
 * - `nameOfModel(name)` without the provider in front and the date behind.
 *
 * The table matches generously: `claude-sonnet-4-6-my-tune` finds `claude-sonnet-4-6`. Here a match counts only when
 * the name is the model's own id, one of its listed names, or either with a date or `latest` behind it.
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
      return { reason: `${given} is not in the price table (${found.id} is, but may cost something else)` };
    }
    // With this one model inside, later look-ups need not search the whole table.
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
    // Some rows price other units than tokens, and refuse these.
    return undefined;
  }
}

/** The name as it stands, then with its head as the provider: `anthropic/claude-…`, `openai:gpt-…`. */
function readings(given: string): { readonly providerId: string | undefined; readonly model: string }[] {
  const asGiven = { providerId: undefined, model: given };
  const split = /^([a-z][\w-]*)[/:](.+)$/i.exec(given);
  const head = split?.[1];
  const rest = split?.[2];
  if (!head || !rest || head === "ft") return [asGiven];
  return [asGiven, { providerId: providers[head.toLowerCase()] ?? head.toLowerCase(), model: rest }];
}

/** What gateways and tools call the providers. */
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

/** AWS sells one model in several regions: `us.anthropic.…` is the table's `regional.anthropic.…`. */
const withoutRegion = (name: string): string => name.replace(/^(?:us|eu|apac|jp|au|global|regional)\./, "");

function equalNames(match: MatchLogic): string[] {
  if ("equals" in match) return [match.equals];
  if ("or" in match) return match.or.flatMap(equalNames);
  return [];
}
