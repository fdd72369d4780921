/** HTTP written by hand, for what a polite client would never send. */
import { connect } from "node:net";

export interface RawAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

export function rawRequest(port: number, lines: readonly string[], body = ""): Promise<RawAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<RawAnswer>();
  const socket = connect(port, "127.0.0.1");
  let text = "";
  socket.setEncoding("utf8");
  socket.on("data", (chunk) => {
    text += chunk;
  });
  socket.on("error", reject);
  socket.on("close", () => {
    const [head = "", ...rest] = text.split("\r\n\r\n");
    resolve({ status: Number(/^HTTP\/1.1 (\d+)/.exec(head)?.[1] ?? 0), head, body: rest.join("\r\n\r\n") });
  });
  socket.write(`${[...lines, "Connection: close"].join("\r\n")}\r\n\r\n${body}`);
  return promise;
}
