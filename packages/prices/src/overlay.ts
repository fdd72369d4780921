/**
 * A team's own prices: models that are not in the public table, contract prices, and aliases.
 *
 * - `readOverlay(path)` undefined if the file does not exist.
 */
import { DevflowError } from "@devflow/core/errors";
import { hashBytes } from "@devflow/core/hash";
import { readIfThere } from "@devflow/core/read-if-there";
import { z } from "zod";

const price = z.number().min(0);

const modelSchema = z.strictObject({
  input_mtok: price,
  output_mtok: price,
  cache_read_mtok: price.optional(),
  cache_write_mtok: price.optional(),
  /** Applies to runs from this day on; earlier runs use the public price. */
  from: z.iso.date().optional(),
});

const overlaySchema = z.strictObject({
  $schema: z.string().optional(),
  models: z.record(z.string(), modelSchema).default({}),
  same_as: z.record(z.string(), z.string().min(1)).default({}),
});

export interface PriceOverlay extends z.output<typeof overlaySchema> {
  /** Eight digits of the content's hash; part of the price version. */
  readonly version: string;
}

export async function readOverlay(path: string): Promise<PriceOverlay | undefined> {
  const text = await readIfThere(path);
  if (text === undefined) return undefined;
  return { ...parseOverlay(text, path), version: hashBytes(text).slice(0, 8) };
}

function parseOverlay(text: string, path: string): z.output<typeof overlaySchema> {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch (cause) {
    throw invalid(path, (cause as Error).message);
  }
  const parsed = overlaySchema.safeParse(given);
  if (parsed.success) return parsed.data;
  throw invalid(path, parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`).join("; "));
}

function invalid(path: string, problem: string): DevflowError {
  return new DevflowError("input_invalid", {
    details: { problem: `The prices in ${path} cannot be read: ${problem}.`, next: "See packages/prices/README.md" },
  });
}
