/** Connections to a socket in the file system, natively: without the streams of node:net. */
import type { Listen, Receiver } from "@devflow/browse/daemon";

export const listenNatively: Listen = (path, receive) => {
  try {
    const server = Bun.listen<Receiver>({
      unix: path,
      socket: {
        binaryType: "uint8array",
        open: (socket) => {
          socket.data = receive(socket);
        },
        data: ({ data: receiver }, part) => receiver.read(part),
        drain: ({ data: receiver }) => receiver.drained(),
        close: ({ data: receiver }) => receiver.closed(),
        // A caller that is gone needs no answer.
        error: (socket) => void socket.terminate(),
      },
    });
    return { stop: () => server.stop(true) };
  } catch {
    return undefined;
  }
};
