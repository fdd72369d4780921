export { runGuarded } from "./run-guarded.ts";
export { secretValues } from "./secret-values.ts";
