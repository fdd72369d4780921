/** A fake agent's script as it comes with a run: parsed by the driver; the agent trusts its folder. */
import { z } from "zod";
import { type FakeScript, scenarios } from "./steps.ts";

const Step = z.union([
  z.enum(scenarios),
  z.strictObject({
    scenario: z.enum(scenarios).default("ok"),
    delayMs: z.number().int().min(0).max(3_600_000).optional(),
    artifact: z.unknown().optional(),
    files: z.record(z.string(), z.union([z.string(), z.null(), z.strictObject({ link: z.string() })])).optional(),
    commands: z.array(z.string()).optional(),
    usage: z
      .strictObject({
        model: z.string(),
        inputTokens: z.number().int(),
        outputTokens: z.number().int(),
        cacheReadTokens: z.number().int(),
        cacheWriteTokens: z.number().int(),
        costUsd: z.number().nullable(),
      })
      .partial()
      .optional(),
  }),
]);

const Script = z.record(z.string(), z.union([Step, z.array(Step).min(1)]));

export function parseFakeScript(value: unknown): FakeScript {
  return Script.parse(value);
}
