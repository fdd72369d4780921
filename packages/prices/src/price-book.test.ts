import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@devflow/testkit";
import { calcPrice } from "@pydantic/genai-prices";
import { openPrices, tableVersion, type Usage } from "./price-book.ts";

const usage = (given: Partial<Usage>): Usage => ({
  model: "claude-sonnet-4-6",
  calls: 1,
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  costUsd: null,
  ...given,
});
const day = "2026-06-01T12:00:00Z";
const book = await openPrices();
const usd = (given: Partial<Usage>, at: string = day) => book.price(usage(given), at).usd;

test("tokens are priced per million", () => {
  // claude-sonnet-4-6: $3 in, $15 out.
  expect(usd({ inputTokens: 1000, outputTokens: 100 })).toBeCloseTo(0.0045, 10);
});

test("cache tokens are priced separately from input tokens", () => {
  // Reading costs $0.30 and writing $3.75 per million.
  expect(usd({ inputTokens: 1000, cacheReadTokens: 100_000, cacheWriteTokens: 10_000 })).toBeCloseTo(
    0.003 + 0.03 + 0.0375,
    10,
  );
});

test("more cache tokens than input tokens are allowed", () => {
  expect(usd({ inputTokens: 10, cacheReadTokens: 500 })).toBeCloseTo(0.00018, 10);
});

test("summed tokens are divided among their calls, so a sum does not reach the long-context price", () => {
  // gpt-5.4: $2.50 per million, $5 for a request above 272k.
  expect(usd({ model: "gpt-5.4", inputTokens: 1_000_000, calls: 10 })).toBeCloseTo(2.5, 10);
  expect(usd({ model: "gpt-5.4", inputTokens: 1_000_000, calls: 1 })).toBeCloseTo(5, 10);
  for (const model of ["gpt-5.5", "gemini-2.5-pro", "claude-sonnet-4-5"]) {
    const spread = usd({ model, inputTokens: 1_000_000, calls: 10 }) as number;
    expect(usd({ model, inputTokens: 1_000_000, calls: 1 }) as number).toBeGreaterThan(spread);
  }
});

test("the price on the day of the run is used, not today's", () => {
  // o3 became five times cheaper in June 2025.
  expect(usd({ model: "o3", inputTokens: 1000, outputTokens: 100 }, "2025-05-01")).toBeCloseTo(0.014, 10);
  expect(usd({ model: "o3", inputTokens: 1000, outputTokens: 100 }, "2025-07-01")).toBeCloseTo(0.0028, 10);
});

describe("an unknown model", () => {
  test.each([
    "my-model",
    "llama3",
    "sonnet-4-6",
    "ft:gpt-4o-mini:acme::abc",
    "gpt-5.4-future-thing",
    "claude-sonnet-9",
    "",
  ])("%p is unpriced, never $0", (model) => {
    expect(book.price(usage({ model, inputTokens: 1000 }), day)).toMatchObject({ kind: "unpriced", usd: null });
  });

  test("is never priced as another model whose name is a prefix of its name", () => {
    expect(book.price(usage({ model: "claude-sonnet-4-6-my-tune", inputTokens: 1000 }), day)).toEqual({
      kind: "unpriced",
      usd: null,
      reason: "claude-sonnet-4-6-my-tune is not in the price table (claude-sonnet-4-6 is, but may have another price)",
    });
  });

  test("is unpriced without tokens too", () => {
    expect(book.price(usage({ model: "my-model" }), day).kind).toBe("unpriced");
  });
});

test.each([
  ["anthropic/claude-sonnet-4-6", "anthropic:claude-sonnet-4-6"],
  ["anthropic:claude-sonnet-4-6", "anthropic:claude-sonnet-4-6"],
  ["claude-haiku-4-5-20251001", "anthropic:claude-haiku-4-5"],
  ["gpt-4o-2024-08-06", "openai:gpt-4o"],
  ["openrouter/anthropic/claude-sonnet-4", "openrouter:anthropic/claude-sonnet-4"],
])("%s is priced as %s", (model, pricedAs) => {
  expect(book.price(usage({ model, inputTokens: 1 }), day)).toMatchObject({ kind: "estimated", pricedAs });
});

test("calls without token counts are unpriced, not free", () => {
  expect(book.price(usage({ calls: 3 }), day)).toEqual({
    kind: "unpriced",
    usd: null,
    reason: "its tokens were not counted",
  });
});

test("the cost reported by the tool is used as it is, even for an unknown model and even if it is 0", () => {
  expect(book.price(usage({ model: "my-model", costUsd: 0.12 }), day)).toMatchObject({ kind: "actual", usd: 0.12 });
  expect(book.price(usage({ costUsd: 0, inputTokens: 5 }), day)).toMatchObject({ kind: "actual", usd: 0 });
});

test("prices agree with the table on both sides of its thresholds", () => {
  for (const model of ["gpt-5.4", "gemini-2.5-pro", "claude-sonnet-4-5", "gpt-4-turbo"]) {
    for (const input of [1, 999, 127_999, 128_000, 199_999, 200_000, 200_001, 271_999, 272_000, 272_001, 900_000]) {
      const cached = Math.floor(input / 3);
      const expected = calcPrice({ input_tokens: input, output_tokens: 321, cache_read_tokens: cached }, model, {
        timestamp: new Date(day),
      })?.total_price;
      const found = usd({ model, inputTokens: input - cached, cacheReadTokens: cached, outputTokens: 321 });
      expect(found).toBeCloseTo(expected as number, 10);
    }
  }
});

test("the version is that of the installed table", () => {
  const manifest = JSON.parse(readFileSync(join(import.meta.dir, "../package.json"), "utf8"));
  expect(manifest.dependencies["@pydantic/genai-prices"]).toBe(tableVersion);
  expect(book.version).toBe(`genai-prices ${tableVersion}`);
});

describe("a team's own prices", () => {
  const overlayFile = join(temporaryFolder(), "prices.json");
  writeFileSync(
    overlayFile,
    JSON.stringify({
      models: {
        "acme-large": { input_mtok: 2, output_mtok: 8 },
        "claude-sonnet-4-6": { input_mtok: 1, output_mtok: 5, from: "2026-07-01" },
      },
      same_as: { "prod-sonnet": "claude-sonnet-4-6" },
    }),
  );

  test("add models and aliases, replace prices from a given day, and are part of the version", async () => {
    const own = await openPrices({ overlayFile });
    const price = (given: Partial<Usage>, at = day) => own.price(usage(given), at).usd;
    expect(price({ model: "acme-large", inputTokens: 1_000_000, cacheReadTokens: 500_000 })).toBeCloseTo(3, 10);
    expect(price({ inputTokens: 1_000_000 })).toBeCloseTo(3, 10);
    expect(price({ inputTokens: 1_000_000 }, "2026-07-02")).toBeCloseTo(1, 10);
    expect(price({ model: "prod-sonnet", inputTokens: 1_000_000 })).toBeCloseTo(3, 10);
    expect(own.version).toMatch(/^genai-prices 0\.1\.8\+[0-9a-f]{8}$/);
  });

  test("that are invalid give an error and are not ignored", async () => {
    const bad = join(temporaryFolder(), "prices.json");
    writeFileSync(bad, '{"models":{"x":{"input":1}}}');
    expect(openPrices({ overlayFile: bad })).rejects.toThrow("models.x");
  });

  test("are optional", async () => {
    expect((await openPrices({ overlayFile: "/nowhere/prices.json" })).version).toBe("genai-prices 0.1.8");
  });
});
