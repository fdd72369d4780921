/**
 * The examples of every expectation type, from the YAML files in `expectation-examples/`: tests run them, and docs/expectations.md shows them.
 *
 * - `examplesOf(type)` examples that pass, fail or give an error, and parameters that are refused.
 */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { z } from "zod";

const members = z.record(z.string(), z.unknown());
const scores = z.record(z.string(), z.number());

const typeExamples = z.strictObject({
  examples: z.array(
    z.strictObject({
      /** The parameters, without `type`. */
      given: members,
      output: z.unknown(),
      /** The case's input. */
      input: members.optional(),
      severityOrder: z.array(z.array(z.string())).optional(),
      judgement: z.strictObject({ scores, thresholds: scores, error: z.string().exactOptional() }).optional(),
      is: z.enum(["pass", "fail", "error"]),
      /** A part of the message. */
      says: z.string().optional(),
    }),
  ),
  /** Parameters that are refused, and part of the message. */
  refuses: z.array(z.strictObject({ given: members, refused: z.string() })).default([]),
});

export type ExpectationExamples = z.infer<typeof typeExamples>;

const folder = new URL("./expectation-examples/", import.meta.url);

const byType: ReadonlyMap<string, ExpectationExamples> = new Map(
  readdirSync(fileURLToPath(folder)).flatMap((file) => {
    const content: unknown = parse(readFileSync(new URL(file, folder), "utf8"));
    return Object.entries(z.record(z.string(), typeExamples).parse(content));
  }),
);

export function examplesOf(type: string): ExpectationExamples {
  const found = byType.get(type);
  if (!found) throw new Error(`No examples of ${type} in packages/evals/testing/expectation-examples.`);
  return found;
}
