/**
 * One line to a socket, and the line that comes back. Only natives of Bun: node:net would take 1 ms. What is not needed to send the
 * line is done after it was sent, while the daemon works.
 *
 * - `askSocket(path, line, patience)` the answer; empty when the connection closed before a whole one came, and undefined when nobody
 *   took the line: nothing listens there, or the daemon was killed at this moment. A daemon takes a line with an empty one, before
 *   it does anything. `late` when no answer came in time.
 */
export const late = Symbol("late");

export interface Patience {
  readonly ms: number;
  /** More for a daemon that has taken the line. */
  readonly takenMs: number;
}

export function askSocket(
  path: string,
  line: string,
  patience: () => Patience,
): Promise<string | typeof late | undefined> {
  return new Promise((resolve) => {
    let isTaken = false;
    let left: Uint8Array | undefined;
    const parts: Uint8Array[] = [];
    const send = (socket: Writable) => {
      // What a new socket surely takes whole needs no bytes.
      if (line.length < surelyTaken) return void socket.write(line);
      left ??= new TextEncoder().encode(line);
      left = left.subarray(socket.write(left));
    };
    const limit = ({ ms, takenMs }: Patience) =>
      setTimeout(() => {
        if (isTaken) setTimeout(resolve, takenMs, late);
        else resolve(late);
      }, ms);
    // A socket in the file system is open or refused at once, so the time begins when it is open.
    Bun.connect({
      unix: path,
      socket: {
        binaryType: "uint8array",
        open: (socket) => {
          send(socket);
          limit(patience());
        },
        drain: (socket) => {
          if (left && left.length > 0) send(socket);
        },
        data: (_, part) => {
          // The empty line may come alone.
          const rest = !isTaken && part[0] === newline ? part.subarray(1) : part;
          isTaken = true;
          if (rest.length > 0) parts.push(rest);
          if (rest.at(-1) === newline) resolve(textOf(parts));
        },
        close: () => resolve(isTaken ? "" : undefined),
        error: () => resolve(isTaken ? "" : undefined),
        connectError: () => resolve(undefined),
      },
      // Told by connectError.
    }).catch(() => {});
  });
}

const newline = 10;
/** Characters, of up to three bytes; a socket takes 200 kB. */
const surelyTaken = 32_768;

function textOf(parts: readonly Uint8Array[]): string {
  const decoder = new TextDecoder();
  return parts.map((part) => decoder.decode(part, { stream: true })).join("");
}

interface Writable {
  write(content: Uint8Array | string): number;
}
