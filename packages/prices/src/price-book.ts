/**
 * Prices the tokens of a model on a given day.
 *
 * - `lazyPrices({ overlayFile })` prices usages and loads the table only when it is needed.
 * - `openPrices({ overlay })` loads the table, which takes about 70 ms.
 * - `book.price(usage, at)` actual, estimated or unpriced; `book.version` identifies the table, to be stored with the price.
 *
 * Some prices depend on the size of a request, so summed tokens are divided evenly among their calls: pricing the sum as one
 * request would put many small requests into the long-context tier.
 */
import { type FoundModel, findModel, nameOfModel } from "./find-model.ts";
import { type PriceOverlay, readOverlay } from "./overlay.ts";
import { Rates, type RequestTokens } from "./rates.ts";

export interface Usage {
  readonly model: string;
  readonly calls: number;
  /** Without tokens read from or written to a prompt cache, which are in the two fields below. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** What the tool says it paid; null when it did not say. */
  readonly costUsd: number | null;
}

export type PricedUsage =
  | { readonly kind: "actual"; readonly usd: number; readonly pricedAs: null }
  | { readonly kind: "estimated"; readonly usd: number; readonly pricedAs: string }
  | { readonly kind: "unpriced"; readonly usd: null; readonly reason: string };

export interface PriceBook {
  /** `genai-prices 0.1.8`, followed by a plus sign and the overlay's hash if there is one. */
  readonly version: string;
  price(usage: Usage, at: Date | string): PricedUsage;
}

export interface PriceOptions {
  readonly overlay?: PriceOverlay | undefined;
  readonly overlayFile?: string;
}

/** The version of the package in package.json; a test checks that they agree. */
export const tableVersion = "0.1.8";

export async function openPrices(options: PriceOptions = {}): Promise<PriceBook> {
  const overlay = options.overlay ?? (options.overlayFile ? await readOverlay(options.overlayFile) : undefined);
  const table = await import("@pydantic/genai-prices");
  const rates = new RateTable(table);
  const found = new Map<string, FoundModel>();
  const lookUp = (model: string): FoundModel => {
    const known = found.get(model) ?? findModel(table, model);
    found.set(model, known);
    return known;
  };
  return {
    version: `genai-prices ${tableVersion}${overlay ? `+${overlay.version}` : ""}`,
    price: (usage, at) => {
      if (usage.costUsd !== null) return { kind: "actual", usd: usage.costUsd, pricedAs: null };
      const fault = tokenFault(usage);
      if (fault) return unpriced(fault);
      const day = at instanceof Date ? at : new Date(at);
      if (Number.isNaN(day.getTime())) return unpriced("the run has no date");
      const named = overlay?.same_as[usage.model] ?? overlay?.same_as[nameOfModel(usage.model)] ?? usage.model;
      const own = ownPrice(overlay, named, usage, day);
      if (own) return own;
      const model = lookUp(named);
      if ("reason" in model) return unpriced(model.reason);
      return estimate(rates, model, usage, day);
    },
  };
}

/** The table is loaded at the first usage without an actual cost. */
export function lazyPrices(options: PriceOptions = {}): (usage: Usage, at: Date | string) => Promise<PricedUsage> {
  let book: Promise<PriceBook> | undefined;
  return async (usage, at) => {
    if (usage.costUsd !== null) return { kind: "actual", usd: usage.costUsd, pricedAs: null };
    book ??= openPrices(options);
    return (await book).price(usage, at);
  };
}

export const priceUsage = lazyPrices();

type Table = typeof import("@pydantic/genai-prices");
type PricedModel = Exclude<FoundModel, { reason: string }>;

/** Caches rates by model and time. Runs are priced in order, so a small cache is enough. */
class RateTable {
  readonly #table: Table;
  readonly #rates = new Map<string, Rates>();

  constructor(table: Table) {
    this.#table = table;
  }

  of(model: PricedModel, at: Date): Rates {
    const key = `${model.provider.id}:${model.id}@${at.getTime()}`;
    const known = this.#rates.get(key);
    if (known) return known;
    if (this.#rates.size > 500) this.#rates.clear();
    const options = { provider: model.provider, timestamp: at };
    const first = this.#table.calcPrice({ input_tokens: 1 }, model.id, options);
    const starts = Object.values(first?.model_price ?? {}).flatMap((price) =>
      typeof price === "object" ? price.tiers.map(({ start }) => start) : [],
    );
    const rates = new Rates(
      (tokens) => this.#table.calcPrice(usageOf(tokens), model.id, options)?.total_price ?? null,
      starts,
    );
    this.#rates.set(key, rates);
    return rates;
  }
}

/** The table expects all input tokens in `input_tokens`, including cached ones. */
const usageOf = ({ input, output, cacheRead, cacheWrite }: RequestTokens) => ({
  input_tokens: input,
  output_tokens: output,
  cache_read_tokens: cacheRead,
  cache_write_tokens: cacheWrite,
});

function estimate(rates: RateTable, model: PricedModel, usage: Usage, at: Date): PricedUsage {
  const calls = Math.max(1, usage.calls);
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage;
  const each = rates.of(model, at).cost({
    input: (inputTokens + cacheReadTokens + cacheWriteTokens) / calls,
    output: outputTokens / calls,
    cacheRead: cacheReadTokens / calls,
    cacheWrite: cacheWriteTokens / calls,
  });
  if (each === null) return unpriced(`${usage.model} has no price on ${at.toISOString().slice(0, 10)}`);
  return { kind: "estimated", usd: each * calls, pricedAs: `${model.provider.id}:${model.id}` };
}

function ownPrice(overlay: PriceOverlay | undefined, name: string, usage: Usage, at: Date): PricedUsage | undefined {
  const own = overlay?.models[name] ?? overlay?.models[nameOfModel(name)];
  if (!own || (own.from && at.toISOString().slice(0, 10) < own.from)) return undefined;
  const usd =
    (usage.inputTokens * own.input_mtok +
      usage.cacheReadTokens * (own.cache_read_mtok ?? own.input_mtok) +
      usage.cacheWriteTokens * (own.cache_write_mtok ?? own.input_mtok) +
      usage.outputTokens * own.output_mtok) /
    1_000_000;
  return { kind: "estimated", usd, pricedAs: `team:${name}` };
}

/** Why the usage cannot be priced: without token counts, a price of 0 would be a guess. */
function tokenFault(usage: Usage): string | undefined {
  const counts = [usage.inputTokens, usage.outputTokens, usage.cacheReadTokens, usage.cacheWriteTokens, usage.calls];
  if (counts.some((count) => !Number.isFinite(count) || count < 0)) return "its token counts are not numbers";
  if (usage.calls > 0 && counts.slice(0, 4).every((count) => count === 0)) return "its tokens were not counted";
  return undefined;
}

const unpriced = (reason: string): PricedUsage => ({ kind: "unpriced", usd: null, reason });
