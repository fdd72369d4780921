/** `schemas/backend@1.json`: JSON Schema of a backend of your own, for editors. */
import { BackendDefinition } from "@devflow/runs/backends";
import { z } from "zod";
import { writeSchema } from "./settings-schemas.ts";

export function backendSchema(): string {
  const { $schema, ...schema } = z.toJSONSchema(BackendDefinition, { io: "input", unrepresentable: "any" });
  return writeSchema({ $schema, title: "A backend of your own, ~/.devflow/backends/<name>.yaml", ...schema });
}
