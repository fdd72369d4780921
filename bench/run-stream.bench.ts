/** The delay until a client of a run's live stream has an event. */
import { uuidv7 } from "@devflow/core/ids";
import { type RunsServer, startRunsServer } from "@devflow/testkit/runs-server";
import { defineBenchmark } from "./benchmark.ts";

const own = "event of this process";
const foreign = "event of another process";

export default defineBenchmark({
  name: "run-stream",
  what: "From the creation of an event, including its transaction, until a client of /sse/runs/:id receives it.",
  unit: "ms",
  rounds: 8,
  warmUp: 1,
  goals: [own, foreign].map((name) => ({
    text: `${name}: p95 at most 100 ms`,
    judge: (of) => ({ figure: `${of(name).p95.toFixed(0)} ms`, met: of(name).p95 <= 100 }),
  })),
  prepare: async () => {
    const it = await startRunsServer();
    const gated = await startRun(it);
    await lateness(it, gated, (frame) => frame.includes('"type":"approval.requested"'));
    return {
      contenders: [
        {
          name: own,
          sample: async () => {
            const runId = await startRun(it);
            const late = await lateness(it, runId, (frame) => frame.includes("event: approval.created"));
            await it.call(`/api/runs/${runId}/abort`, { body: { clientToken: uuidv7() } });
            return late;
          },
        },
        {
          name: foreign,
          sample: async () => {
            const count = 10;
            let seen = 0;
            const writing = writeFromOutside(it, gated, count);
            const late = await lateness(it, gated, (frame, isLive) => {
              if (isLive && frame.includes('"type":"usage.recorded"')) seen += 1;
              return seen === count;
            });
            await writing;
            return late;
          },
        },
      ],
      finish: () => it.stop(),
    };
  },
});

async function startRun(it: RunsServer): Promise<string> {
  const about = { template: "development-fake@1", repository: it.repository, requirements: "Greet" };
  return (await it.call("/api/runs", { body: { ...about, clientToken: uuidv7() } })).json.runId;
}

/** The delay of each live event, until the last one. */
async function lateness(
  it: RunsServer,
  runId: string,
  isLast: (frame: string, isLive: boolean) => boolean,
): Promise<number[]> {
  const abort = new AbortController();
  const headers = { authorization: `Bearer ${it.token}` };
  const response = await fetch(`${it.url}/sse/runs/${runId}`, { headers, signal: abort.signal });
  const decoder = new TextDecoder();
  const late: number[] = [];
  let text = "";
  let isLive = false;
  let isOver = false;
  for await (const bytes of response.body as ReadableStream<Uint8Array>) {
    text += decoder.decode(bytes, { stream: true });
    const frames = text.split("\n\n");
    text = frames.pop() ?? "";
    for (const frame of frames) {
      isLive ||= frame.includes("event: ready");
      const at = /^event: run\.event_appended\ndata: .*"at":"([^"]+)"/m.exec(frame)?.[1];
      if (isLive && at) late.push(Date.now() - Date.parse(at));
      isOver ||= isLast(frame, isLive);
    }
    if (isOver) break;
  }
  abort.abort();
  return late;
}

async function writeFromOutside(it: RunsServer, runId: string, count: number): Promise<void> {
  const { host, port, user, password } = it.database.target;
  const target = { host, port, user, password: password.reveal() };
  const order = JSON.stringify({ target, database: it.database.name, runId, count });
  const child = Bun.spawn([process.execPath, `${import.meta.dir}/foreign-events.ts`, order], { stderr: "pipe" });
  if ((await child.exited) !== 0) throw new Error(await new Response(child.stderr).text());
}
