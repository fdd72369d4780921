/** For the tests of other packages: `@devflow/server/testing`. */
export { ensureLocalUser, localUserId } from "../src/auth/local-user.ts";
