/** Entry point of intents. */
export { inferIntent } from "./infer-intent.ts";
