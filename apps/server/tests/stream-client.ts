/** A fetch-based reader of a live stream, as the web has one: it carries the bearer header and remembers the last id. */
export interface StreamFrame {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: Record<string, unknown>;
}

export interface StreamClient {
  readonly status: number;
  readonly frames: StreamFrame[];
  readonly lastId: () => string | undefined;
  /** Resolves when a frame fits, also one that is already there; rejects when the stream ends without it. */
  until(fits: (frame: StreamFrame, all: readonly StreamFrame[]) => boolean, timeoutMs?: number): Promise<StreamFrame>;
  seqs(): number[];
  /** Resolves when the server has ended the stream: "closed" properly, "broken" otherwise. */
  readonly ended: Promise<"closed" | "broken">;
  close(): void;
}

export async function openStream(url: string, token: string, lastEventId?: string): Promise<StreamClient> {
  const abort = new AbortController();
  const response = await fetch(url, {
    headers: {
      authorization: `Bearer ${token}`,
      ...(lastEventId === undefined ? {} : { "last-event-id": lastEventId }),
    },
    signal: abort.signal,
  });
  const frames: StreamFrame[] = [];
  const waiters = new Set<(isOver?: boolean) => void>();
  const ended = (async () => {
    if (!response.ok || !response.body) return "broken" as const;
    let text = "";
    const decoder = new TextDecoder();
    try {
      for await (const chunk of response.body as ReadableStream<Uint8Array>) {
        text += decoder.decode(chunk, { stream: true });
        const parts = text.split("\n\n");
        text = parts.pop() ?? "";
        for (const part of parts) if (part.includes("event:")) frames.push(parse(part));
        for (const wake of [...waiters]) wake();
      }
      return "closed" as const;
    } catch {
      return "broken" as const;
    } finally {
      for (const wake of [...waiters]) wake(true);
    }
  })();
  return {
    status: response.status,
    frames,
    lastId: () => frames.findLast((frame) => frame.id !== undefined)?.id,
    seqs: () => frames.filter((one) => one.event === "change").map((one) => Number(one.data.seq)),
    ended,
    until(fits, timeoutMs = 8000) {
      const { promise, resolve, reject } = Promise.withResolvers<StreamFrame>();
      const settle = (end: () => void) => {
        clearTimeout(timer);
        waiters.delete(look);
        end();
      };
      const giveUp = () => reject(new Error(`it did not come; the last were ${JSON.stringify(frames.slice(-5))}`));
      const look = (isOver = false) => {
        const found = frames.find((frame) => fits(frame, frames));
        if (found) settle(() => resolve(found));
        else if (isOver) settle(giveUp);
      };
      const timer = setTimeout(() => settle(giveUp), timeoutMs);
      waiters.add(look);
      look();
      return promise;
    },
    close: () => abort.abort(),
  };
}

function parse(text: string): StreamFrame {
  const fields = new Map(
    text.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)] as const),
  );
  return { id: fields.get("id"), event: fields.get("event") ?? "", data: JSON.parse(fields.get("data") ?? "null") };
}
