/**
 * One attempt to post a message to a team's webhook.
 *
 * - `sendWebhook(webhook, message, options)` undefined when the receiver took it, otherwise why not. The URL is a secret: it is in no
 *   reason and in no log.
 *
 * Whoever administers a team chooses the URL, and the server is not theirs: a host that leads to a private address is refused, unless
 * the operator allows it by name (`alert_hosts`). The check is made on the address that is connected to.
 */
import { lookup as resolve } from "node:dns";
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { isPublicAddress } from "@devflow/core/public-address";
import type { Secret } from "@devflow/core/secret";
import { type AlertMessage, webhookBody } from "../messages/index.ts";

export interface TeamWebhook {
  readonly url: Secret;
  readonly format: "auto" | "slack" | "json";
}

export interface WebhookOptions {
  /** Hosts that may have a private address. */
  readonly allowHosts: readonly string[];
  readonly signal?: AbortSignal;
}

const timeoutMs = 10_000;

export async function sendWebhook(
  { url, format }: TeamWebhook,
  message: AlertMessage,
  { allowHosts, signal }: WebhookOptions,
): Promise<string | undefined> {
  const target = new URL(url.reveal());
  const isSlack = format === "slack" || (format === "auto" && target.hostname === "hooks.slack.com");
  const body = JSON.stringify(webhookBody(message, isSlack ? "slack" : "json"));
  const mayBePrivate = allowHosts.includes(target.hostname);
  if (!mayBePrivate && isIP(target.hostname.replace(/^\[|\]$/g, "")) !== 0 && !isPublicAddress(target.hostname))
    return refused;
  try {
    const status = await post(target, body, {
      id: message.id,
      lookup: mayBePrivate ? undefined : publicOnly,
      signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]),
    });
    // A redirect is not followed: the URL is the key to the receiver, and is not passed on to another host.
    return status >= 200 && status < 300 ? undefined : `the webhook answered with status ${status}`;
  } catch (error) {
    // The message of the error may have the URL in it.
    const { name, code } = error as { name?: string; code?: string };
    if (code === privateCode) return refused;
    return name === "TimeoutError"
      ? `the webhook did not answer within ${timeoutMs / 1000} s`
      : `the webhook cannot be reached (${code ?? name ?? "error"})`;
  }
}

const refused =
  "the webhook is in a private network; the operator of the server can allow its host: devflow config set alert_hosts <host>";
const privateCode = "DEVFLOW_PRIVATE_ADDRESS";

const publicOnly: LookupFunction = (hostname, options, done) => {
  resolve(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return done(error, "", 0);
    const bad = addresses.find(({ address }) => !isPublicAddress(address));
    const [first] = addresses;
    if (bad || !first) return done(Object.assign(new Error("private address"), { code: privateCode }), "", 0);
    if (options.all) return done(null, addresses);
    done(null, first.address, first.family);
  });
};

function post(
  target: URL,
  body: string,
  {
    id,
    lookup,
    signal,
  }: { readonly id: string; readonly lookup: LookupFunction | undefined; readonly signal: AbortSignal },
): Promise<number> {
  const request = target.protocol === "https:" ? requestHttps : requestHttp;
  return new Promise((done, fail) => {
    const sent = request(
      target,
      {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "content-length": Buffer.byteLength(body),
          "user-agent": "devflow",
          "idempotency-key": id,
        },
        ...(lookup ? { lookup } : {}),
        signal,
      },
      (answer) => {
        answer.on("error", () => undefined).resume();
        done(answer.statusCode ?? 0);
      },
    );
    sent.on("error", (error) => fail(signal.aborted ? signal.reason : error));
    sent.end(body);
  });
}
