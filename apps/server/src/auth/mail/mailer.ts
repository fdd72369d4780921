/**
 * Plain-text mail through the operator's SMTP server.
 *
 * - `createMailer(url, from)` from `smtp://user:password@host:587` or `smtps://…`; `send(message)` throws `mail_failed`.
 * - `letterOf(message, from, now)` pure: the message as it is sent.
 */
import { randomUUID } from "node:crypto";
import { DevflowError } from "@devflow/core/errors";
import type { Secret } from "@devflow/core/secret";
import { deliver, type Letter, type SmtpServer } from "./smtp-dialogue.ts";

export interface MailMessage {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

export interface Mailer {
  send(message: MailMessage): Promise<void>;
}

export function createMailer(url: Secret, from: string): Mailer {
  const server = serverOf(url.reveal());
  return {
    async send(message) {
      try {
        await deliver(server, letterOf(message, from, new Date()));
      } catch (error) {
        const reason = (error as Error).message;
        throw new DevflowError("mail_failed", { details: { host: server.host, reason }, cause: error });
      }
    },
  };
}

function serverOf(url: string): SmtpServer {
  const { protocol, hostname, port, username, password } = new URL(url);
  const secure = protocol === "smtps:";
  return {
    host: hostname,
    port: port ? Number(port) : secure ? 465 : 587,
    secure,
    ...(username ? { user: decodeURIComponent(username), password: decodeURIComponent(password) } : {}),
  };
}

export function letterOf({ to, subject, text }: MailMessage, from: string, now: Date): Letter {
  const sender = addressOf(from);
  const receiver = addressOf(to);
  const body = Buffer.from(text).toString("base64").replace(/.{76}/g, "$&\r\n");
  const headers = [
    `From: ${from.replace(/[^\x20-\x7e]/g, "")}`,
    `To: <${receiver}>`,
    `Subject: =?utf-8?B?${Buffer.from(subject).toString("base64")}?=`,
    `Date: ${now.toUTCString().replace("GMT", "+0000")}`,
    `Message-ID: <${randomUUID()}@${sender.split("@")[1]}>`,
    "MIME-Version: 1.0",
    "Content-Type: text/plain; charset=utf-8",
    "Content-Transfer-Encoding: base64",
    "Auto-Submitted: auto-generated",
  ];
  return { from: sender, to: receiver, content: [...headers, "", body].join("\r\n") };
}

/** `Devflow <devflow@example.com>` or the address alone; never anything that could begin another command. */
function addressOf(text: string): string {
  const address = /<([^<>]*)>\s*$/.exec(text)?.[1] ?? text;
  if (/^[^\s<>@"\\,;:]+@[^\s<>@"\\,;:]+$/.test(address) && /^[\x21-\x7e]+$/.test(address)) return address;
  throw new DevflowError("input_invalid", { details: { problem: `"${address}" is not an e-mail address.`, next: "" } });
}
