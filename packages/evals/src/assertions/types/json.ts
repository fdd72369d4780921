/**
 * `is-json` and `contains-json`, with a JSON Schema as their value: an object, YAML or JSON in a text, or a file.
 *
 * A schema that names 2020-12 is evaluated as that standard defines it; see `validatorFor`.
 */
import { SchemaFault, type ValueFault, validatorFor } from "@devflow/json-schema";
import { parse } from "yaml";
import { type Check, type Checker, need, yesOrNo } from "../assertion.ts";
import { jsonObjectsIn } from "../json-objects.ts";

const isJson: Checker = (check) => {
  const { text, isNegated } = check;
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return yesOrNo(false, check, "the output is not JSON");
  }
  const validate = schemaOf(check);
  if (!validate) return yesOrNo(true, check, "the output is JSON");
  const faults = validate(parsed);
  const problem = isNegated ? "the output is JSON that fits the schema" : `the output does not fit: ${shown(faults)}`;
  return yesOrNo(faults.length === 0, check, problem);
};

const containsJson: Checker = (check) => {
  const { text, isNegated } = check;
  const found = jsonObjectsIn(text);
  const validate = found.length > 0 ? schemaOf(check) : undefined;
  if (!validate) return yesOrNo(found.length > 0, check, `the output contains ${isNegated ? "" : "no "}JSON`);
  let faults: readonly ValueFault[] = [];
  const holds = found.some((one) => {
    faults = validate(one);
    return faults.length === 0;
  });
  const problem = isNegated ? "the output contains JSON that fits the schema" : `no JSON fits: ${shown(faults)}`;
  return yesOrNo(holds, check, problem);
};

function schemaOf({ value, baseType }: Check): ReturnType<typeof validatorFor> | undefined {
  if (!value) return undefined;
  need(
    typeof value === "string" || typeof value === "object" || value === true,
    `${baseType} needs a schema as its value`,
  );
  try {
    return validatorFor(typeof value === "string" ? parse(value) : value);
  } catch (error) {
    if (error instanceof SchemaFault) need(false, `the schema of ${baseType} cannot be used: ${error.message}`);
    need(false, `the schema of ${baseType} is not YAML: ${(error as Error).message.split("\n")[0]}`);
  }
}

const shown = (faults: readonly ValueFault[]): string =>
  faults
    .slice(0, 5)
    .map(({ path, keyword, params }) => `${path || "the value"} ${keyword} ${JSON.stringify(params)}`)
    .join("; ");

export const jsonAssertions: Readonly<Record<string, Checker>> = { "is-json": isJson, "contains-json": containsJson };
