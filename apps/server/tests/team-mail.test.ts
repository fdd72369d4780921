/** What a team server mails, through a real SMTP server: invites, sign-in links, confirmations. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Failure } from "@devflow/protocol";
import { runProcess } from "@devflow/testkit";
import { createMailer, letterOf } from "../src/auth/mail/mailer.ts";
import { startMailServer } from "./mail-server.ts";
import { startTestTeam, type TestTeam } from "./team-server.ts";

let smtp: Awaited<ReturnType<typeof startMailServer>>;
let it: TestTeam;
beforeAll(async () => {
  smtp = await startMailServer();
  it = await startTestTeam({ mail: { url: smtp.url(), from: "Devflow <devflow@example.com>" } });
}, 60_000);
afterAll(async () => {
  await it?.stop();
  await smtp?.stop();
}, 60_000);

const tokenIn = (text: string, path: string) =>
  new RegExp(`${it.url}${path}#token=(\\S+)`).exec(text)?.[1] ?? `nothing in ${text}`;
const codeOf = async (answer: Response) => Failure.parse(await answer.json()).error.code;

test("the page is told that links can be mailed", async () => {
  expect(await (await fetch(`${it.url}/auth/ways`)).json()).toEqual({ mode: "team", email: true });
});

describe("a mailed invite", () => {
  test("goes to its address only, and whoever uses it there has confirmed the address", async () => {
    const answer = await it.post(
      "/auth/mailed-invite",
      { teamId: it.teamId, role: "member", email: "grace@example.com" },
      it.bearer(it.ada.access_token),
    );
    const told = await answer.text();
    expect([answer.status, told.includes("dfi_")]).toEqual([200, false]);
    const mail = await smtp.nextMail("grace@example.com");
    expect([mail.from, mail.subject]).toEqual(["devflow@example.com", "Join Engines on Devflow"]);
    const token = tokenIn(mail.text, "/invite");
    const joined = await it.post("/auth/session/invite", { token, name: "Grace", email: "grace@example.com" });
    expect(joined.status).toBe(200);
    const [row] = await it.admin`
      select email_confirmed_at is not null as confirmed from app.users where email = 'grace@example.com'`;
    expect(row?.confirmed).toBe(true);
  });

  test("is refused for a member who may not invite, and mails nothing", async () => {
    const member = await it.join("Plain member");
    const answer = await it.post(
      "/auth/mailed-invite",
      { teamId: it.teamId, role: "member", email: "x@example.com" },
      it.bearer(member.access_token),
    );
    expect([answer.status, smtp.mails.length]).toEqual([403, 0]);
  });

  test("that the mail server does not take says so", async () => {
    const answer = await it.post(
      "/auth/mailed-invite",
      { teamId: it.teamId, role: "member", email: "unknown@example.com" },
      it.bearer(it.ada.access_token),
    );
    expect([answer.status, await codeOf(answer)]).toEqual([502, "mail_failed"]);
  });
});

describe("a sign-in link by e-mail", () => {
  test("signs in the person who has confirmed the address, once", async () => {
    expect((await it.post("/auth/email", { email: "GRACE@example.com" })).status).toBe(202);
    const token = tokenIn((await smtp.nextMail("grace@example.com")).text, "/sign-in");
    const grant = await it.grantOf(await it.post("/auth/session/link", { token, terminal: "x" }));
    expect(grant.user.name).toBe("Grace");
    expect(await codeOf(await it.post("/auth/session/link", { token }))).toBe("link_used");
  });

  test("answers alike for an address that nobody has, and mails nothing", async () => {
    const answers = [
      await it.post("/auth/email", { email: "grace@example.com" }),
      await it.post("/auth/email", { email: "nobody@example.com" }),
    ];
    expect(await Promise.all(answers.map((one) => one.text()))).toEqual(['{"ok":true}', '{"ok":true}']);
    expect(answers.map((one) => one.status)).toEqual([202, 202]);
    await smtp.nextMail("grace@example.com");
    expect(smtp.mails).toEqual([]);
  });

  test("is not sent to an address that was only typed, until it is confirmed by its own mail", async () => {
    const { token } = await it.rpc(it.ada.access_token, "create_invite", { team_id: it.teamId });
    await it.post("/auth/session/invite", { token, name: "Typist", email: "typed@example.com" });
    const confirmation = await smtp.nextMail("typed@example.com");
    expect(confirmation.subject).toBe("Confirm your address for Devflow");
    const [before] = await it.admin`select count(*)::int as n from app.one_time_links where purpose = 'sign_in'`;
    await it.post("/auth/email", { email: "typed@example.com" });
    // The answer comes before the address is looked up; when a mail that was asked for later is there, it has been.
    await it.post("/auth/email", { email: "grace@example.com" });
    await smtp.nextMail("grace@example.com");
    const confirm = tokenIn(confirmation.text, "/confirm");
    // A confirmation is no sign-in.
    expect(await codeOf(await it.post("/auth/session/link", { token: confirm }))).toBe("link_used");
    expect((await it.post("/auth/email/confirm", { token: confirm })).status).toBe(200);
    expect(await codeOf(await it.post("/auth/email/confirm", { token: confirm }))).toBe("link_used");
    const [after] = await it.admin`select count(*)::int as n from app.one_time_links where purpose = 'sign_in'`;
    expect(after?.n).toBe((before?.n ?? 0) + 1);
    await it.post("/auth/email", { email: "typed@example.com" });
    expect((await smtp.nextMail("typed@example.com")).subject).toBe("Sign in to Devflow");
  });

  test("of somebody else cannot be claimed by typing their address into an invite", async () => {
    const { token } = await it.rpc(it.ada.access_token, "create_invite", {
      team_id: it.teamId,
      email: "grace@example.com",
    });
    const thief = await it.grantOf(
      await it.post("/auth/session/invite", { token, name: "Thief", email: "grace@example.com", terminal: "x" }),
    );
    const rows = await it.admin<{ name: string }[]>`
      select name from app.users where lower(email) = 'grace@example.com' and email_confirmed_at is not null`;
    expect(rows.map((one) => one.name)).toEqual(["Grace"]);
    const mail = await smtp.nextMail("grace@example.com");
    const confirmed = await it.post("/auth/email/confirm", { token: tokenIn(mail.text, "/confirm") });
    expect(await codeOf(confirmed)).toBe("link_used");
    expect(thief.user.name).toBe("Thief");
  });

  test("is sent at most three times in ten minutes", async () => {
    it.pass(11 * 60_000);
    for (let n = 0; n < 6; n++) await it.post("/auth/email", { email: "typed@example.com" });
    for (let n = 0; n < 3; n++) await smtp.nextMail("typed@example.com");
    const [row] = await it.admin`
      select count(*)::int as n from app.one_time_links l join app.users u on u.id = l.user_id
      where u.name = 'Typist' and l.purpose = 'sign_in' and l.created_at > ${new Date(it.now() - 60_000)}`;
    expect([row?.n, smtp.mails.length]).toEqual([3, 0]);
  });
});

describe("the mail itself", () => {
  test("cannot contain another command or header, whatever the address or the text", () => {
    const message = { to: "a@example.com", subject: "Zoë\r\nBcc: x@example.com", text: ".\r\nQUIT\r\n" };
    const { content } = letterOf(message, "Devflow <d@example.com>", new Date(0));
    const [head = "", body = ""] = content.split("\r\n\r\n");
    expect(head.split("\r\n").map((line) => line.split(":")[0])).toEqual([
      ...["From", "To", "Subject", "Date", "Message-ID", "MIME-Version", "Auto-Submitted"],
      ...["Content-Type", "Content-Transfer-Encoding"],
    ]);
    expect(body).toMatch(/^[A-Za-z0-9+/=\r\n]+$/);
    for (const to of ["a@b.c>\r\nRCPT TO:<x@y.z", "a b@c.d", "a@b@c", "<a@b", "ä@b.c", ""]) {
      expect(() => letterOf({ ...message, to }, "d@example.com", new Date(0))).toThrow("is not an e-mail address");
    }
  });

  test("with HTML has both forms, and the same id when it is sent again", async () => {
    const message = {
      to: "b@example.com",
      subject: "Zoë",
      text: "Grüße\n",
      html: "<p>Grüße</p>\n",
      id: "digest:2026-W46",
    };
    const mailer = createMailer(smtp.url(), "d@example.com");
    await mailer.send(message);
    await mailer.send(message);
    const [one, other] = [await smtp.nextMail("b@example.com"), await smtp.nextMail("b@example.com")];
    expect([one.subject, one.text, one.html]).toEqual(["Zoë", "Grüße\n", "<p>Grüße</p>\n"]);
    const idOf = ({ raw }: typeof one) => /^Message-ID: (.*)$/m.exec(raw)?.[1];
    expect([idOf(one), idOf(one)?.length]).toEqual([idOf(other), "<@example.com>".length + 40]);
  });

  test("is sent over TLS with the password where the server has TLS, and the password never without it", async () => {
    const secure = await startMailServer({ tls: true, password: "s3cret" });
    const plain = await startMailServer({ password: "s3cret" });
    try {
      const message = { to: "a@example.com", subject: "x", text: "y" };
      const refused = await createMailer(secure.url("devflow:s3cret@"), "d@example.com")
        .send(message)
        .catch((error: Error) => error.message);
      // The certificate is checked: this one is nobody's.
      expect(refused).toContain("did not take the message");
      expect(secure.mails).toEqual([]);
      const known = await runProcess(
        [
          process.execPath,
          "-e",
          `const { createMailer } = await import(${JSON.stringify(new URL("../src/auth/mail/mailer.ts", import.meta.url).pathname)});
           const url = { reveal: () => "smtp://devflow:s3cret@localhost:${secure.port}" };
           await createMailer(url, "d@example.com").send({ to: "a@example.com", subject: "x", text: "y" });`,
        ],
        { env: { PATH: process.env.PATH ?? "", NODE_EXTRA_CA_CERTS: secure.certificate ?? "" } },
      );
      expect([known.code, known.stderr]).toEqual([0, ""]);
      const { wasSecure, user } = await secure.nextMail("a@example.com");
      expect([wasSecure, user]).toEqual([true, "devflow"]);
      // On this machine a password may go without TLS.
      await createMailer(plain.url("devflow:s3cret@"), "d@example.com").send(message);
      expect((await plain.nextMail("a@example.com")).user).toBe("devflow");
      const wrong = await createMailer(plain.url("devflow:wrong@"), "d@example.com")
        .send(message)
        .catch((error: Error) => error.message);
      expect(wrong).toContain("did not take the message: 535");
    } finally {
      await secure.stop();
      await plain.stop();
    }
  });

  test("to a server that is not there fails with its name", async () => {
    const gone = await startMailServer();
    await gone.stop();
    const failed = await createMailer(gone.url(), "d@example.com")
      .send({ to: "a@example.com", subject: "x", text: "y" })
      .catch((error: Error) => error.message);
    expect(failed).toContain("The mail server 127.0.0.1 did not take the message");
  });
});
