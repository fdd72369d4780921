/**
 * Changes of a team on their way to many subscribers of `/sse/team`.
 *
 * - `broadcast(server, team, load)` the delay of each change at each subscriber, and how many were missed or came twice. `write(index)`
 *   makes exactly one change.
 */
import { join } from "node:path";
import { callFunction, type LocalServer } from "./local-server.ts";

export interface StreamLoad {
  readonly subscribers: number;
  readonly changesPerSecond: number;
  readonly seconds: number;
  write(index: number): Promise<void>;
}

export async function broadcast(
  server: LocalServer,
  teamId: string,
  { subscribers, changesPerSecond, seconds, write }: StreamLoad,
): Promise<{ delays: number[]; faults: number }> {
  const { host, port, token } = server.state();
  const url = `http://${host}:${port}/sse/team/${teamId}`;
  const script = join(import.meta.dir, "sse-subscribers.ts");
  const listeners = Bun.spawn([process.execPath, script, url, String(subscribers)], {
    // Bun's fetch is limited to 256 requests at a time by default.
    env: { PATH: process.env.PATH ?? "", BUN_CONFIG_MAX_HTTP_REQUESTS: String(subscribers + 10) },
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  listeners.stdin.write(`${token}\n`);
  await listeners.stdin.flush();
  const output = listeners.stdout.getReader();
  await output.read();

  const sentAt = new Map<number, number>();
  const begun = performance.now();
  for (let index = 0; index < changesPerSecond * seconds; index++) {
    await Bun.sleep(Math.max(0, begun + (index * 1000) / changesPerSecond - performance.now()));
    const sent = performance.timeOrigin + performance.now();
    await write(index);
    const seq = await latestSeq(server, teamId, index, sentAt);
    sentAt.set(seq, sent);
  }
  await Bun.sleep(2_000);
  listeners.stdin.end();
  const arrivals = JSON.parse(await restOf(output)) as [seq: number, at: number][][];
  await listeners.exited;
  return judge(arrivals, sentAt);
}

let nextSeq = 0;
/** The log has no gaps and nobody else writes, so after one read the next seq is known. */
async function latestSeq(server: LocalServer, teamId: string, index: number, sentAt: Map<number, number>) {
  if (index > 0) return ++nextSeq;
  const changes = await callFunction<{ seq: number }[]>(server, "changes", { team_id: teamId, after_seq: 0 });
  nextSeq = Number(changes.at(-1)?.seq ?? sentAt.size);
  return nextSeq;
}

function judge(arrivals: [seq: number, at: number][][], sentAt: ReadonlyMap<number, number>) {
  const delays: number[] = [];
  let faults = 0;
  for (const list of arrivals) {
    const times = Map.groupBy(list, ([seq]) => seq);
    for (const [seq, sent] of sentAt) {
      const seen = times.get(seq) ?? [];
      if (seen.length !== 1) faults += 1;
      const first = seen[0];
      if (first) delays.push(first[1] - sent);
    }
  }
  return { delays, faults };
}

async function restOf(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for (let part = await reader.read(); !part.done; part = await reader.read()) chunks.push(part.value);
  return Buffer.concat(chunks).toString("utf8");
}
