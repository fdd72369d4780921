/**
 * One line to a socket, and the line that comes back. Only natives of Bun: neither Buffer (0.25 ms) nor node:net.
 *
 * - `askSocket(path, line)` the answer; empty when the connection closed before a whole one came, and undefined when nobody took
 *   the line: nothing listens there, or the daemon was killed at this moment. A daemon takes a line with an empty one, before it
 * does anything. `late` when no answer came in time.
 */
export const late = Symbol("late");

export interface Patience {
  readonly ms: number;
  /** More for a daemon that has taken the line. */
  readonly takenMs: number;
}

export function askSocket(path: string, line: string, patience: Patience): Promise<string | typeof late | undefined> {
  return new Promise((resolve) => {
    setTimeout(() => {
      if (isTaken) setTimeout(resolve, patience.takenMs, late);
      else resolve(late);
    }, patience.ms);
    const decoder = new TextDecoder();
    let answer = "";
    let isTaken = false;
    let left: Uint8Array | undefined;
    const send = (socket: Writable) => {
      left ??= new TextEncoder().encode(line);
      left = left.subarray(socket.write(left));
    };
    Bun.connect({
      unix: path,
      socket: {
        binaryType: "uint8array",
        open: send,
        drain: (socket) => {
          if (left && left.length > 0) send(socket);
        },
        data: (_, part) => {
          answer += decoder.decode(part, { stream: true });
          if (!isTaken && answer.startsWith("\n")) answer = answer.slice(1);
          isTaken = true;
          if (answer.endsWith("\n")) resolve(answer);
        },
        close: () => resolve(isTaken ? "" : undefined),
        error: () => resolve(isTaken ? "" : undefined),
        connectError: () => resolve(undefined),
      },
      // Told by connectError.
    }).catch(() => {});
  });
}

interface Writable {
  write(bytes: Uint8Array): number;
}
