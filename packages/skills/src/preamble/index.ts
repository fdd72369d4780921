export { logSkillUse } from "../usage-log.ts";
export { collectFacts, preambleText } from "./preamble.ts";
