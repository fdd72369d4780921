/** Texts of people, agents and pages travel as they are. What a screen shows of one goes through `plainText` first. */
export { plainText } from "@devflow/core/plain-text";
