/** Entry point of json-schema; see README.md. */
export { type EvaluationError, evaluate, SchemaFault } from "./evaluate.ts";
export { assertsIn, metaSchemas } from "./meta-schemas.ts";
export { schemaFaults } from "./schema-faults.ts";
export { createSchemaSet, type Schema } from "./schema-set.ts";
export { type ValueFault, validatorFor } from "./validator-for.ts";
