/** For the tests of other packages: `@devflow/session/testing`. */
export { fakeAnswer, fakeFiles } from "../src/fake/answers.ts";
export { isLong, renderEnvelope } from "../src/prompt-envelope.ts";
export { sessionTransitions } from "../src/session-machine.ts";
