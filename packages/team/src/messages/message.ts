/**
 * A message as it is sent: to a webhook as JSON or as Slack's text, by mail as text and HTML.
 *
 * - `webhookBody(message, format)` what is posted. `id` is the same in every attempt, so that a receiver can tell a repetition.
 * - `slackText(text)` text that cannot become a link or a mention there; `htmlText(text)` the same for a mail.
 */
const alertKinds = ["regression", "recovery", "digest", "test"] as const;
export type AlertKind = (typeof alertKinds)[number];

export interface AlertMessage {
  readonly id: string;
  readonly kind: AlertKind;
  readonly team: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** For Slack: as `text`, without what it would take for marks. */
  readonly slack: string;
  /** For programs. */
  readonly facts: object;
}

export function webhookBody(message: AlertMessage, format: "slack" | "json"): object {
  const { id, kind, team, slack, facts } = message;
  return format === "slack" ? { text: slack } : { id, event: kind, team, text: slack, facts };
}

export const slackText = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

export const htmlText = (text: string): string => slackText(text).replaceAll('"', "&quot;").replaceAll("'", "&#39;");

/** Of our own server. */
export const htmlLink = (url: string): string => `<a href="${htmlText(url)}">${htmlText(url)}</a>`;
