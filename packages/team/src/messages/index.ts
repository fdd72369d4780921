/** Entry point of messages. */
export { dollars, percent } from "./amounts.ts";
export { htmlPage } from "./html-page.ts";
export { type AlertKind, type AlertMessage, htmlLink, htmlText, slackText, webhookBody } from "./message.ts";
