/** Entry point of mail, for programs that send it without a server. */
export { createMailer } from "./auth/mail/mailer.ts";
