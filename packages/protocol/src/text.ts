/** Text written by people, agents and pages is sent unchanged. Pass it through `plainText` before showing it on a screen. */
export { plainText } from "@devflow/core/plain-text";
