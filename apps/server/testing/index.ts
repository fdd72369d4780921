/** For the tests of other packages: `@devflow/server/testing`. */
export { ensureLocalUser, localUserId } from "../src/auth/local-user.ts";
export { createMailer } from "../src/auth/mail/mailer.ts";
export { startMailServer } from "../tests/mail-server.ts";
export { startSupabaseStandIn } from "./supabase-stand-in.ts";
