/** One request and reply over node:net, where Bun's sockets are not available. Aborting closes the connection, which ends the command. */
import { connect } from "node:net";
import { isWhole, type Transport } from "./wire.ts";

export const netTransport: Transport = (port, bytes, signal) =>
  new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const parts: Buffer[] = [];
    const socket = connect({ port, host: "127.0.0.1", noDelay: true }, () => socket.write(bytes));
    const onAbort = () => {
      socket.destroy();
      reject(signal?.reason);
    };
    const finish = () => {
      signal?.removeEventListener("abort", onAbort);
      resolve(Buffer.concat(parts));
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    socket.on("data", (part: Buffer) => {
      parts.push(part);
      if (parts.length > 1 ? isWhole(Buffer.concat(parts)) : isWhole(part)) socket.end();
    });
    socket.on("close", finish);
    socket.on("error", (error) => {
      signal?.removeEventListener("abort", onAbort);
      reject(error);
    });
  });
