/** JSON Schema of the eval result format, for editors and for writers in any language. */
import { resultFileSchema } from "@devflow/evals";
import { z } from "zod";
import { writeSchema } from "./settings-schemas.ts";

export function evalResultSchema(): string {
  const { $schema, description, ...schema } = z.toJSONSchema(resultFileSchema, { io: "input", unrepresentable: "any" });
  return writeSchema({ $schema, title: "Devflow's eval result format, schema_version 1", description, ...schema });
}
