export type { ScenarioInput } from "./scenario.ts";
export { type ScriptedModel, startScriptedModel } from "./server.ts";
