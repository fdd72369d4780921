export { secretValues } from "./known-secrets.ts";
export { runGuarded } from "./run-guarded.ts";
