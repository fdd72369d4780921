/**
 * A real SMTP server on this machine.
 *
 * - `startMailServer({ tls, password })` `mails` is what arrived, decoded; `nextMail(to)` waits for one.
 */
import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { Secret } from "@devflow/core/secret";
import { runProcess, temporaryFolder } from "@devflow/testkit";
import { SMTPServer } from "smtp-server";

export interface Mail {
  readonly from: string;
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  /** Empty if it has none. */
  readonly html: string;
  readonly raw: string;
  readonly wasSecure: boolean;
  readonly user: string | undefined;
}

export async function startMailServer({ tls = false, password = "" } = {}) {
  const mails: Mail[] = [];
  const waiting = new Set<() => void>();
  const files = tls ? await certificate() : undefined;
  const noTls = { disabledCommands: ["STARTTLS"] };
  const server = new SMTPServer({
    authOptional: password === "",
    ...(files ? { key: readFileSync(files.key, "utf8"), cert: readFileSync(files.cert, "utf8") } : noTls),
    onAuth: (auth, _session, done) =>
      auth.password === password ? done(null, { user: auth.username ?? "" }) : done(new Error("wrong password")),
    onRcptTo: (address, _session, done) =>
      address.address.startsWith("unknown@") ? done(new Error("no such mailbox")) : done(),
    onData(stream, session, done) {
      let raw = "";
      stream.on("data", (chunk) => {
        raw += chunk;
      });
      stream.on("end", () => {
        const { mailFrom, rcptTo } = session.envelope;
        const subject = /^Subject: =\?utf-8\?B\?(.*)\?=\r?$/m.exec(raw)?.[1] ?? "";
        mails.push({
          from: mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          subject: Buffer.from(subject, "base64").toString(),
          text: partOf(raw, "plain"),
          html: partOf(raw, "html"),
          raw,
          wasSecure: session.secure,
          user: session.user,
        });
        done();
        for (const wake of waiting) wake();
      });
    },
  });
  // A client that ends the dialogue early is no fault of the server.
  server.on("error", () => undefined);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  const { port } = server.server.address() as AddressInfo;
  return {
    port,
    mails,
    /** The file of its certificate. */
    certificate: files?.cert,
    url: (user = "") => new Secret(`smtp://${user}127.0.0.1:${port}`),
    async nextMail(to: string): Promise<Mail> {
      for (;;) {
        const index = mails.findIndex((mail) => mail.to.includes(to));
        const [found] = index < 0 ? [] : mails.splice(index, 1);
        if (found) return found;
        await new Promise<void>((resolve) => {
          waiting.add(resolve);
        });
      }
    },
    stop: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

/** The content of one part of a mail, which is base64. */
function partOf(raw: string, kind: "plain" | "html"): string {
  const content =
    new RegExp(`Content-Type: text/${kind};[\\s\\S]*?\\r\\n\\r\\n([A-Za-z0-9+/=\\s]*)`).exec(raw)?.[1] ?? "";
  return Buffer.from(content, "base64").toString();
}

async function certificate(): Promise<{ key: string; cert: string }> {
  const folder = temporaryFolder("df");
  const words =
    "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=localhost -addext subjectAltName=DNS:localhost";
  const files = ["-keyout", `${folder}/key.pem`, "-out", `${folder}/cert.pem`];
  const made = await runProcess([...words.split(" "), ...files], { env: { PATH: process.env.PATH ?? "" } });
  if (made.code !== 0) throw new Error(made.stderr);
  return { key: `${folder}/key.pem`, cert: `${folder}/cert.pem` };
}
