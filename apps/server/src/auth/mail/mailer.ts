/**
 * Mail through the operator's SMTP server.
 *
 * - `createMailer(url, from)` from `smtp://user:password@host:587` or `smtps://…`; `send(message)` throws `mail_failed`.
 * - `letterOf(message, from, now)` pure: the message as it is sent.
 */
import { createHash, randomUUID } from "node:crypto";
import { DevflowError } from "@devflow/core/errors";
import type { Secret } from "@devflow/core/secret";
import { deliver, type Letter, type SmtpServer } from "./smtp-dialogue.ts";

export interface MailMessage {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** The same as `text`, for programs that show it. */
  readonly html?: string;
  /** A message that may be sent again has the same one each time. */
  readonly id?: string;
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

export function letterOf({ to, subject, text, html, id }: MailMessage, from: string, now: Date): Letter {
  const sender = addressOf(from);
  const receiver = addressOf(to);
  const name = id === undefined ? randomUUID() : createHash("sha256").update(id).digest("hex").slice(0, 40);
  const body = html === undefined ? part("plain", text) : alternatives(name, part("plain", text), part("html", html));
  const headers = [
    `From: ${from.replace(/[^\x20-\x7e]/g, "")}`,
    `To: <${receiver}>`,
    `Subject: =?utf-8?B?${Buffer.from(subject).toString("base64")}?=`,
    `Date: ${now.toUTCString().replace("GMT", "+0000")}`,
    `Message-ID: <${name}@${sender.split("@")[1]}>`,
    "MIME-Version: 1.0",
    "Auto-Submitted: auto-generated",
  ];
  return { from: sender, to: receiver, content: [...headers, body].join("\r\n") };
}

/** Headers and content of one part of a mail. */
function part(kind: "plain" | "html", text: string): string {
  const content = Buffer.from(text).toString("base64").replace(/.{76}/g, "$&\r\n");
  return [`Content-Type: text/${kind}; charset=utf-8`, "Content-Transfer-Encoding: base64", "", content].join("\r\n");
}

/** Base64 has no hyphen, so no part contains the boundary. */
function alternatives(name: string, ...parts: readonly string[]): string {
  const boundary = `--devflow-${name}`;
  const head = `Content-Type: multipart/alternative; boundary="${boundary.slice(2)}"`;
  return [head, "", ...parts.flatMap((one) => [boundary, one]), `${boundary}--`, ""].join("\r\n");
}

/** `Devflow <devflow@example.com>` or the address alone; never anything that could begin another command. */
function addressOf(text: string): string {
  const address = /<([^<>]*)>\s*$/.exec(text)?.[1] ?? text;
  if (/^[^\s<>@"\\,;:]+@[^\s<>@"\\,;:]+$/.test(address) && /^[\x21-\x7e]+$/.test(address)) return address;
  throw new DevflowError("input_invalid", { details: { problem: `"${address}" is not an e-mail address.`, next: "" } });
}
