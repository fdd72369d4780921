/**
 * The socket of a line: connected once, and never replaced.
 *
 * - `openLineSocket(target, options)` resolves when it is connected. `onLost` is called when it is closed, for whatever reason.
 *
 * With a socket of its own, postgres.js 3.4.9 connects again when one is lost before the first statement was sent. If the
 * query for array types was under way, that statement is then never sent and waits for ever. An error that arrives after
 * the close finds no listener and ends the process. Both happened within a few kills of Postgres.
 */
import { Socket } from "node:net";
import { DevflowError } from "@devflow/core/errors";
import type { ConnectionTarget } from "./connection-target.ts";

interface LineSocketOptions {
  readonly connectSeconds: number;
  readonly onLost: () => void;
}

export function openLineSocket(target: ConnectionTarget, options: LineSocketOptions): Promise<Socket> {
  const { host, port } = target;
  const socket = new LineSocket(options.onLost);
  return new Promise((resolve, reject) => {
    const giveUp = (error: unknown) => {
      clearTimeout(timer);
      socket.destroy();
      reject(error);
    };
    const timer = setTimeout(() => {
      const reason = `no answer within ${options.connectSeconds} s`;
      giveUp(new DevflowError("db_unreachable", { details: { reason } }));
    }, options.connectSeconds * 1_000);
    socket.once("error", giveUp);
    socket.once("connect", () => {
      clearTimeout(timer);
      socket.removeListener("error", giveUp);
      resolve(socket);
    });
    if (host.startsWith("/")) socket.connect(`${host}/.s.PGSQL.${port}`);
    else socket.connect(port, host);
  });
}

class LineSocket extends Socket {
  private readonly onLost: () => void;

  constructor(onLost: () => void) {
    super();
    this.onLost = onLost;
  }

  // Not a listener: the driver removes all listeners when it upgrades the socket to TLS, and when it closes.
  override emit(name: string | symbol, ...words: unknown[]): boolean {
    const isHeard = name !== "error" || this.listenerCount("error") > 0;
    const result = isHeard && super.emit(name as never, ...(words as never[]));
    if (name === "close" || !isHeard) this.onLost();
    return result;
  }
}
