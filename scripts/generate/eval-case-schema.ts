/** `schemas/eval-case@1.json`: JSON Schema of a document in a case file, for editors and other languages. */
import { caseMetadata, suiteHeader } from "@devflow/evals/cases";
import { expectationTypes } from "@devflow/evals/expectations";
import { z } from "zod";
import { writeSchema } from "./settings-schemas.ts";

type Schema = Record<string, unknown>;

export function evalCaseSchema(): string {
  const expectation = {
    oneOf: [
      { enum: expectationTypes.map(({ type }) => type) },
      ...expectationTypes.map(({ type }) => ({ $ref: `#/$defs/${type}` })),
    ],
  };
  const { properties, required } = schemaOf(caseMetadata);
  const evalCase = {
    description: "A case; members with other names are its input",
    type: "object",
    properties: {
      ...(properties as Schema),
      expectations: { type: "array", minItems: 1, items: { $ref: "#/$defs/expectation" } },
    },
    required: [...(required as string[]), "expectations"],
  };
  const header = schemaOf(suiteHeader).properties as Schema;
  return writeSchema({
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "A document of an eval case file: a case, a list of cases, or a suite",
    anyOf: [
      { $ref: "#/$defs/case" },
      { type: "array", items: { $ref: "#/$defs/case" } },
      {
        type: "object",
        properties: { ...header, cases: { type: "array", items: { $ref: "#/$defs/case" } } },
        required: ["cases"],
        additionalProperties: false,
      },
      { type: "object", properties: header, required: ["suite"], additionalProperties: false },
    ],
    $defs: {
      case: evalCase,
      expectation,
      ...Object.fromEntries(expectationTypes.map((one) => [one.type, expectationSchema(one)])),
    },
  });
}

function expectationSchema({ type, passes, parameters }: (typeof expectationTypes)[number]): Schema {
  const { properties, required = [], ...rest } = schemaOf(parameters);
  return {
    description: `Passes when ${passes}`,
    ...rest,
    properties: { type: { const: type }, ...(properties as Schema) },
    required: ["type", ...(required as string[])],
  };
}

function schemaOf(schema: z.ZodType): Schema {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as Schema;
  return rest;
}
