/** For the tests of other packages: `@devflow/session/testing`. */
import type { LaunchOptions } from "../src/adapter.ts";

export { fakeAnswer, fakeFiles } from "../src/fake/answers.ts";
export { isLong, renderEnvelope } from "../src/prompt-envelope.ts";
export { sessionTransitions } from "../src/session-machine.ts";

export const plainLaunch: LaunchOptions = { mayEdit: true, allowedCommands: [], schemas: {}, extra: {} };
