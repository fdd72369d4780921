/**
 * Runs tests in the format of the official JSON Schema Test Suite through the evaluation of schemas, and through
 * `validatorFor`, which `is-json` uses.
 *
 * - `runSchemaTests(groups, documents)` how many answers are right, and a line for each that is not. `documents` are the
 *   schemas that the tests refer to, by address.
 */
import {
  assertsIn,
  createSchemaSet,
  evaluate,
  metaSchemas,
  type Schema,
  SchemaFault,
  validatorFor,
} from "../src/index.ts";

export interface SchemaTestGroup {
  readonly description: string;
  readonly schema: Schema;
  readonly tests: readonly { readonly description: string; readonly data: unknown; readonly valid: boolean }[];
}

export function runSchemaTests(
  groups: readonly SchemaTestGroup[],
  documents: Readonly<Record<string, Schema>> = {},
): { right: number; wrong: string[] } {
  let right = 0;
  const wrong: string[] = [];
  for (const { description, schema, tests } of groups) {
    const set = createSchemaSet({ ...metaSchemas, ...documents, "https://suite.invalid/schema": schema });
    const asserts = assertsIn(set);
    for (const test of tests) {
      const answer = attempt(() => evaluate(set, schema, test.data, { asserts }).length === 0);
      const asked = attempt(() => validatorFor(standard(schema), documents)(test.data).length === 0);
      if (answer === test.valid && asked === test.valid) right += 1;
      else wrong.push(`${description}: ${test.description}: expected ${test.valid}, got ${answer}, is-json ${asked}`);
    }
  }
  return { right, wrong };
}

/** As `is-json` gets it: a schema that says which standard it follows. */
const standard = (schema: Schema): Schema =>
  typeof schema === "boolean" ? schema : { $schema: "https://json-schema.org/draft/2020-12/schema", ...schema };

function attempt(work: () => boolean): boolean | string {
  try {
    return work();
  } catch (error) {
    if (error instanceof SchemaFault) return error.message;
    throw error;
  }
}
