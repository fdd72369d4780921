/**
 * The parameters of promptfoo's assertion types in Devflow's own cases.
 *
 * - `assertionParameters(type)` a zod schema; types that compare several outputs are refused here.
 */
import { z } from "zod";
import { baseTypeOf, isAssertionType } from "../assertions/index.ts";

const common = {
  value: z.unknown().optional(),
  threshold: z.number().optional(),
  weight: z.number().min(0, "a weight cannot be negative").optional(),
  metric: z.string().min(1).optional(),
  transform: z.string().min(1).optional(),
  contextTransform: z.string().min(1).optional(),
  rubricPrompt: z.unknown().optional(),
  provider: z.unknown().optional(),
  config: z.record(z.string(), z.unknown()).optional(),
};

const member = z
  .looseObject({ type: z.string() })
  .refine(({ type }) => isAssertionType(type) && !isForSuites(type), "is not an assertion that a set can contain");

const isForSuites = (type: string): boolean => ["select-best", "max-score", "human"].includes(type);

export function assertionParameters(type: string): z.ZodType {
  if (isForSuites(type)) {
    return z.unknown().refine(() => false, `${type} compares several outputs, which only a promptfoo suite has`);
  }
  if (type === "assert-set") {
    return z.strictObject({ ...common, assert: z.array(member).min(1, "name at least one assertion") });
  }
  if (baseTypeOf(type) === "meteor") {
    return z.strictObject({
      ...common,
      alpha: z.number().optional(),
      beta: z.number().optional(),
      gamma: z.number().optional(),
    });
  }
  return z.strictObject(common);
}
