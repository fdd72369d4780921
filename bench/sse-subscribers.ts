/**
 * Many subscribers of one team in a separate process (started by `sse.bench.ts`): opens them, prints `ready`, and when its
 * input closes prints for each subscriber which seq arrived when.
 *
 *     bun bench/sse-subscribers.ts <url> <count>     the token comes on the first line of the input
 */
export {};

const [url = "", count = "0"] = process.argv.slice(2);
const input = console[Symbol.asyncIterator]();
const token = (await input.next()).value as string;
const leaving = new AbortController();

const arrivals = Array.from({ length: Number(count) }, () => [] as [seq: number, at: number][]);
await Promise.all(
  arrivals.map(async (list) => {
    const headers = { authorization: `Bearer ${token}`, accept: "text/event-stream", "last-event-id": "0" };
    const answer = await fetch(url, { headers, signal: leaving.signal });
    if (!answer.ok || !answer.body) throw new Error(`the stream answered ${answer.status}`);
    const ready = Promise.withResolvers<void>();
    void follow(answer.body, list, ready.resolve).catch((error) => {
      if (!leaving.signal.aborted) ready.reject(error);
    });
    await ready.promise;
  }),
);
console.log("ready");
await input.next();
leaving.abort();
console.log(JSON.stringify(arrivals));
process.exit(0);

async function follow(body: ReadableStream<Uint8Array>, list: [number, number][], onReady: () => void): Promise<void> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of body) {
    const at = performance.timeOrigin + performance.now();
    const frames = (rest + decoder.decode(chunk, { stream: true })).split("\n\n");
    rest = frames.pop() ?? "";
    for (const frame of frames) {
      if (/^event: ?ready$/m.test(frame)) onReady();
      const id = /^id: ?(\d+)$/m.exec(frame)?.[1];
      if (id && /^event: ?change$/m.test(frame)) list.push([Number(id), at]);
    }
  }
}
