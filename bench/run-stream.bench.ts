/** How late an event of a run is when a client of its live stream has it. */
import { uuidv7 } from "@devflow/core/ids";
import { startRunsServer } from "@devflow/testkit/runs-server";
import { defineBenchmark } from "./benchmark.ts";

const delivery = "event at the client";

export default defineBenchmark({
  name: "run-stream",
  what: "From the moment an event is made, its transaction included, until a client of /sse/runs/:id has it.",
  unit: "ms",
  rounds: 8,
  warmUp: 1,
  goals: [
    {
      text: "p95 at most 100 ms",
      judge: (of) => ({ figure: `${of(delivery).p95.toFixed(0)} ms`, met: of(delivery).p95 <= 100 }),
    },
  ],
  prepare: async () => {
    const it = await startRunsServer();
    const headers = { authorization: `Bearer ${it.token}` };
    const sample = async (): Promise<number[]> => {
      const body = {
        template: "development-fake@1",
        repository: it.repository,
        requirements: "Greet",
        clientToken: uuidv7(),
      };
      const { runId } = (await it.call("/api/runs", { body })).json;
      const abort = new AbortController();
      const response = await fetch(`${it.url}/sse/runs/${runId}`, { headers, signal: abort.signal });
      const decoder = new TextDecoder();
      const late: number[] = [];
      let text = "";
      let isLive = false;
      for await (const bytes of response.body as ReadableStream<Uint8Array>) {
        text += decoder.decode(bytes, { stream: true });
        const frames = text.split("\n\n");
        text = frames.pop() ?? "";
        for (const frame of frames) {
          isLive ||= frame.includes("event: ready");
          const at = /^event: run\.event_appended\ndata: .*"at":"([^"]+)"/m.exec(frame)?.[1];
          if (isLive && at) late.push(Date.now() - Date.parse(at));
        }
        if (frames.some((frame) => frame.includes("event: approval.created"))) break;
      }
      abort.abort();
      await it.call(`/api/runs/${runId}/abort`, { body: { clientToken: uuidv7() } });
      return late;
    };
    return { contenders: [{ name: delivery, sample }], finish: () => it.stop() };
  },
});
