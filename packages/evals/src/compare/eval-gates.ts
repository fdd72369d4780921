/**
 * What a comparison must not let pass, as a repository decides it: `evals` in its `.devflow.json`.
 *
 * - `readGates(root)` the file's gates; none if there is no file or no such member.
 * - `gateRules(gates)` the criteria of `CompareOptions`; a gate is a name, or a name with its direction and scale.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { DevflowError } from "@devflow/core/errors";
import { z } from "zod";
import type { CriterionRule } from "./compare-options.ts";
import { type FailOn, failOnChoices } from "./exit-code.ts";

const gateSchema = z.union([
  z.string().min(1),
  z.strictObject({
    criterion: z.string().min(1),
    direction: z.enum(["higher", "lower"]).optional().describe("Which scores are better; default: higher"),
    scale: z.tuple([z.number(), z.number()]).optional().describe("Lowest and highest score; default: 0 to 1"),
  }),
]);
const evalsSchema = z.strictObject({
  gate: z.array(gateSchema).default([]),
  fail_on: z.array(z.enum(failOnChoices)).default([]),
});

export type Gate = z.output<typeof gateSchema>;

export interface EvalGates {
  readonly gates: readonly Gate[];
  readonly failOn: readonly FailOn[];
}

export async function readGates(root: string): Promise<EvalGates> {
  const text = await readFile(join(root, ".devflow.json"), "utf8").catch(() => null);
  if (text === null) return { gates: [], failOn: [] };
  const found = (jsonOf(text) as { evals?: unknown } | null)?.evals;
  const parsed = evalsSchema.safeParse(found ?? {});
  if (parsed.success) return { gates: parsed.data.gate, failOn: parsed.data.fail_on };
  const [issue] = parsed.error.issues;
  const problem = `evals${issue?.path.map((step) => `.${String(step)}`).join("")} in .devflow.json is wrong: ${issue?.message}.`;
  throw new DevflowError("usage", { details: { problem, next: "See docs/evals.md, Gates." } });
}

/** A file that is not JSON is reported by the settings. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export const gateName = (gate: Gate): string => (typeof gate === "string" ? gate : gate.criterion);

export function gateRules(gates: readonly Gate[]): Record<string, CriterionRule> {
  return Object.fromEntries(
    gates.map((gate) => {
      if (typeof gate === "string") return [gate, { gates: true }];
      const { criterion, direction, scale } = gate;
      return [criterion, { gates: true, ...(direction ? { direction } : {}), ...(scale ? { scale } : {}) }];
    }),
  );
}
