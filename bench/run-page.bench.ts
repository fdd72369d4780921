/** The requests of a long run's page: its detail, the newest events, the newest transcript. */
import { uuidv7 } from "@devflow/core/ids";
import type { RunDetail } from "@devflow/protocol";
import { type RunsServer, startRunsServer } from "@devflow/testkit/runs-server";
import { defineBenchmark, limitGoal } from "./benchmark.ts";

const events = 5_000;
const chunks = 20_000;
const opening = "the page's data";

export default defineBenchmark({
  name: "run-page",
  what: `A run with ${events} events and ${chunks} transcript chunks: loading the data of its page, and replaying its stream.`,
  unit: "ms",
  rounds: 30,
  warmUp: 3,
  goals: [limitGoal("at most 300 ms for the page's data", opening, 300, "ms", 1)],
  prepare: async ({ say }) => {
    const it = await startRunsServer();
    const run = await longRun(it);
    say(`run ${run.id}: ${events} events, ${chunks} chunks`);
    const session = run.sessions[0]?.id;
    const get = (path: string) => it.call(path);
    return {
      contenders: [
        {
          name: opening,
          sample: () =>
            timed(() =>
              Promise.all([
                get(`/api/runs/${run.id}`),
                get(`/api/runs/${run.id}/events?after=${events - 200}&limit=200`),
                get(`/api/sessions/${session}/transcript?last=true&limit=500`),
              ]),
            ),
        },
        { name: "list of runs", sample: () => timed(() => get("/api/runs?limit=50")) },
        { name: "stream: every event replayed", sample: () => timed(() => replay(it, run.id)) },
      ],
      finish: () => it.stop(),
    };
  },
});

async function timed(work: () => Promise<unknown>): Promise<number[]> {
  const started = performance.now();
  await work();
  return [performance.now() - started];
}

async function replay(it: RunsServer, runId: string): Promise<void> {
  const abort = new AbortController();
  const headers = { authorization: `Bearer ${it.token}` };
  const response = await fetch(`${it.url}/sse/runs/${runId}`, { headers, signal: abort.signal });
  const decoder = new TextDecoder();
  let tail = "";
  for await (const bytes of response.body as ReadableStream<Uint8Array>) {
    tail = (tail + decoder.decode(bytes, { stream: true })).slice(-300);
    if (tail.includes("event: ready")) break;
  }
  abort.abort();
}

/** A run at its first gate, with a long log and a long transcript. */
async function longRun(it: RunsServer): Promise<RunDetail> {
  const body = {
    template: "development-fake@1",
    repository: it.repository,
    requirements: "Greet",
    clientToken: uuidv7(),
  };
  const { runId } = (await it.call("/api/runs", { body })).json;
  let run: RunDetail;
  do {
    await Bun.sleep(50);
    run = (await it.call(`/api/runs/${runId}`)).json;
  } while (run.pendingApprovals === 0);
  await it.database.database.asEngine(async (tx) => {
    await tx`
      insert into app.run_events (run_id, seq, team_id, phase_id, type, payload, idempotency_key, actor, ts, prev_hash, hash)
      select run_id, s, team_id, phase_id, type, payload, 'long:' || s, actor, ts, prev_hash, hash
      from app.run_events e, generate_series(${run.eventSeq + 1}::bigint, ${events}) s
      where e.run_id = ${runId} and e.seq = (s % ${run.eventSeq}) + 1`;
    await tx`update app.runs set event_seq = ${events} where id = ${runId}`;
    await tx`
      insert into app.transcript_chunks (session_id, seq, team_id, content)
      select ${run.sessions[0]?.id ?? ""}::uuid, 1000000 + s, ${run.teamId}, repeat('line of an agent ', 20) || s
      from generate_series(1, ${chunks}) s`;
    await tx`update app.sessions set last_capture_seq = ${1_000_000 + chunks} where id = ${run.sessions[0]?.id ?? ""}`;
  });
  return run;
}
