export type { Scenario, ScenarioInput } from "./scenario.ts";
export {
  type RecordedRequest,
  type ScriptedModel,
  type ScriptedModelOptions,
  startScriptedModel,
} from "./server.ts";
