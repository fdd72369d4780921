/** Text written by people, agents and pages is sent unchanged. Pass it through `plainText` before showing it on a screen. */
export { markBidi, plainText } from "@devflow/core/plain-text";
export { shortId } from "@devflow/core/short-id";
