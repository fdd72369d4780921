/**
 * The commands of one SMTP delivery (RFC 5321), over TLS where the server has it.
 *
 * - `deliver(server, letter)` resolves when the server has taken the message; otherwise it throws what the server said.
 *
 * A password is never sent without TLS, except to this machine. The body is base64, so no line of it is ever a command.
 */
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";

export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte; otherwise STARTTLS if the server offers it. */
  readonly secure: boolean;
  readonly user?: string;
  readonly password?: string;
}

export interface Letter {
  readonly from: string;
  readonly to: string;
  /** Headers and body, with CRLF. */
  readonly content: string;
}

const limitMs = 20_000;

export async function deliver(server: SmtpServer, letter: Letter): Promise<void> {
  let wire = openWire(
    server.secure ? connectTls({ ...place(server), servername: server.host }) : connect(place(server)),
  );
  const say = async (line: string, expected: number): Promise<string> => {
    wire.write(`${line}\r\n`);
    return await wire.answer(expected);
  };
  try {
    await wire.answer(220);
    let offers = await say("EHLO devflow", 250);
    let isSafe = server.secure;
    if (!isSafe && /^250[ -]STARTTLS\b/im.test(offers)) {
      await say("STARTTLS", 220);
      wire = await upgraded(wire, server.host);
      isSafe = true;
      offers = await say("EHLO devflow", 250);
    }
    if (server.user !== undefined) {
      if (!isSafe && !isLoopback(server.host))
        throw new Error("it offers no TLS, and a password is not sent without it");
      const login = Buffer.from(`\0${server.user}\0${server.password ?? ""}`).toString("base64");
      await say(`AUTH PLAIN ${login}`, 235);
    }
    await say(`MAIL FROM:<${letter.from}>`, 250);
    await say(`RCPT TO:<${letter.to}>`, 250);
    await say("DATA", 354);
    await say(`${letter.content}\r\n.`, 250);
    wire.write("QUIT\r\n");
  } finally {
    wire.close();
  }
}

const place = ({ host, port }: SmtpServer) => ({ host, port });

const isLoopback = (host: string): boolean => /^(localhost|127\.|\[?::1\]?$)/.test(host);

interface Wire {
  readonly socket: Socket;
  write(text: string): void;
  /** The next whole answer; throws when it has another code. */
  answer(expected: number): Promise<string>;
  release(): void;
  close(): void;
}

function openWire(socket: Socket): Wire {
  let received = "";
  let failure: Error | undefined;
  let wake = () => {};
  const onData = (chunk: Buffer) => {
    received += chunk.toString("utf8");
    wake();
  };
  const fail = (error: Error) => {
    failure ??= error;
    wake();
  };
  const onClose = () => fail(new Error("it closed the connection"));
  socket.setTimeout(limitMs, () => fail(new Error(`it did not answer within ${limitMs / 1000} s`)));
  socket.on("data", onData).on("error", fail).on("close", onClose);
  return {
    socket,
    write: (text) => void socket.write(text),
    async answer(expected) {
      // The last line of an answer has a space after its code, the others a hyphen.
      for (;;) {
        const whole = /^(?:\d{3}-[^\n]*\n)*(\d{3})(?: [^\n]*)?\n/.exec(received);
        if (whole) {
          received = received.slice(whole[0].length);
          if (Number(whole[1]) === expected) return whole[0];
          throw new Error(whole[0].trim().slice(0, 200));
        }
        if (failure) throw failure;
        if (received.length > 65_536) throw new Error("its answer is too long");
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    release() {
      socket.off("data", onData).off("error", fail).off("close", onClose);
    },
    close: () => void socket.destroy(),
  };
}

async function upgraded(wire: Wire, host: string): Promise<Wire> {
  wire.release();
  const secure = connectTls({ socket: wire.socket, servername: host });
  await new Promise<void>((resolve, reject) => {
    secure.once("secureConnect", () => resolve()).once("error", reject);
  });
  return openWire(secure);
}
