/**
 * One attempt to send a message to the webhook.
 *
 * - `sendMessage(webhook, message, signal)` undefined when the receiver took it, otherwise why not. The URL is a secret: it is
 *   in no reason and in no log.
 */
import type { Secret } from "@devflow/core/secret";
import { type Message, slackMessage } from "./compose-message.ts";

export interface Webhook {
  readonly url: Secret;
  readonly format: "auto" | "slack" | "json";
}

const timeoutMs = 10_000;

export async function sendMessage(
  { url, format }: Webhook,
  message: Message,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const target = url.reveal();
  const isSlack = format === "slack" || (format === "auto" && new URL(target).hostname === "hooks.slack.com");
  try {
    const answer = await fetch(target, {
      method: "POST",
      headers: { "content-type": "application/json", "user-agent": "devflow", "idempotency-key": message.id },
      body: JSON.stringify(isSlack ? slackMessage(message) : message),
      // The URL is the key to the receiver; it is not passed on to another host.
      redirect: "manual",
      signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]),
    });
    await answer.body?.cancel();
    return answer.ok ? undefined : `the webhook answered with status ${answer.status}`;
  } catch (error) {
    // The message of the error may have the URL in it.
    const { name, code } = error as { name?: string; code?: string };
    return name === "TimeoutError"
      ? `the webhook did not answer within ${timeoutMs / 1000} s`
      : `the webhook cannot be reached (${code ?? name ?? "error"})`;
  }
}
