export { logSkillUse } from "../usage-log.ts";
export { collectFacts, type PreambleFacts, type PreamblePlace, preambleText } from "./preamble.ts";
