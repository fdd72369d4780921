/**
 * `/sse/runs/:id`: past and new events of a run.
 *
 * - `subscribe(request)` replays `run.event_appended` after the given seq up to the run's current head, sends `ready`, and
 *   then sends each new event followed by the hints derived from it.
 *
 * Each stream has cursors and reads forward from them, on behalf of its caller, whenever it is woken or polled. So there is no
 * transition between replay and live that could skip or repeat a seq, and a removed member reads nothing more. A reader
 * that stops reading is disconnected, and resumes from the last id it saw.
 */
import type { Clock } from "@devflow/core/clock";
import { DevflowError } from "@devflow/core/errors";
import type { Log } from "@devflow/core/log";
import type { Claims, RunEventView, RunStreamEvent } from "@devflow/protocol";
import type { RunStreamSource, RunStreamTurn } from "../runs-mount.ts";
import type { HubLimits } from "./change-hub.ts";
import type { LiveTimes } from "./live-streams.ts";
import { type Outbox, openOutbox } from "./outbox.ts";
import { frame, heartbeat, opening } from "./stream-frames.ts";

export interface RunStreamRequest {
  readonly claims: Claims;
  readonly expiresAtMs: number;
  readonly runId: string;
  readonly after: number;
  /** Sessions whose transcript is wanted from an earlier position; the others begin at their current end. */
  readonly transcripts: ReadonlyMap<string, number>;
}

export interface RunStreams {
  subscribe(request: RunStreamRequest): Promise<ReadableStream<Uint8Array>>;
  readonly subscribers: number;
  stop(): Promise<void>;
}

export function startRunStreams(options: {
  readonly runs: RunStreamSource;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits: HubLimits;
  readonly times: Pick<LiveTimes, "heartbeatMs" | "pollMs">;
}): RunStreams {
  const { runs, clock, log, limits, times } = options;
  const open = new Map<RunStream, Promise<void>>();
  let beingOpened = 0;
  let stopped = false;

  return {
    async subscribe(request) {
      if (stopped) throw new DevflowError("server_busy");
      if (open.size + beingOpened >= limits.maxStreams)
        throw new DevflowError("too_many_streams", { details: { limit: limits.maxStreams } });
      beingOpened += 1;
      try {
        const ends = await runs.transcriptEnds(request.claims, request.runId);
        const transcripts = new Map([...ends, ...request.transcripts]);
        const first = await runs.turn(request.claims, request.runId, { after: request.after, transcripts });
        if (!first) throw new DevflowError("not_found", { details: { what: `Run ${request.runId}` } });
        const stream = new RunStream({ request, runs, clock, limits, times, transcripts });
        const work = stream
          .serve(first)
          .catch((error: unknown) => {
            log.warn({ err: error, runId: request.runId }, "run stream failed");
            stream.end();
          })
          .finally(() => open.delete(stream));
        open.set(stream, work);
        return stream.outbox.stream;
      } finally {
        beingOpened -= 1;
      }
    },
    get subscribers() {
      return open.size;
    },
    async stop() {
      stopped = true;
      for (const stream of open.keys()) stream.end();
      await Promise.all(open.values());
    },
  };
}

interface RunStreamParts {
  readonly request: RunStreamRequest;
  readonly runs: RunStreamSource;
  readonly clock: Clock;
  readonly limits: HubLimits;
  readonly times: Pick<LiveTimes, "heartbeatMs" | "pollMs">;
  readonly transcripts: Map<string, number>;
}

class RunStream {
  readonly outbox: Outbox;
  private readonly parts: RunStreamParts;
  private readonly gone = new AbortController();
  private after: number;
  private state: RunStreamTurn["state"] | undefined;
  private failedAt: RunStreamTurn["failedAt"] = null;
  private wake: (() => void) | undefined;
  private isWoken = false;
  private isBeatDue = false;

  constructor(parts: RunStreamParts) {
    this.parts = parts;
    this.after = parts.request.after;
    this.outbox = openOutbox({ maxBytes: parts.limits.maxWaitingBytes, onGone: () => this.leave() });
  }

  end(): void {
    this.outbox.end();
    this.leave();
  }

  private leave(): void {
    this.gone.abort();
    this.wake?.();
  }

  async serve(first: RunStreamTurn): Promise<void> {
    const { request, runs, clock, times } = this.parts;
    const forget = runs.follow(request.runId, () => this.stir());
    const beat = setInterval(() => {
      // Sent between frames, never inside one that is sent in slices.
      this.isBeatDue = true;
      if (request.expiresAtMs <= clock.now()) this.end();
      else this.stir();
    }, times.heartbeatMs);
    const poll = setInterval(() => this.stir(), times.pollMs);
    try {
      this.outbox.push(opening);
      // A cursor beyond the end comes from a lost log: start again.
      if (this.after > first.head) this.after = 0;
      const highWater = first.head;
      this.state = first.state;
      this.failedAt = first.failedAt;
      let turn: RunStreamTurn | undefined = this.after === request.after ? first : await this.read();
      let isLive = false;
      while (turn && !this.gone.signal.aborted) {
        for (const event of turn.events) {
          if (!isLive && event.seq > highWater) isLive = await this.sayReady();
          await this.deliver(event, isLive);
        }
        if (!isLive && this.after >= highWater) isLive = await this.sayReady();
        await this.deliverRest(turn);
        if (this.isBeatDue) this.outbox.push(heartbeat);
        this.isBeatDue = false;
        if (turn.events.length === 0 && turn.chunks.length === 0) await this.rest();
        if (this.gone.signal.aborted) break;
        turn = await this.read();
      }
      if (!turn) this.end();
    } finally {
      clearInterval(beat);
      clearInterval(poll);
      forget();
    }
  }

  private read(): Promise<RunStreamTurn | undefined> {
    const { request, runs, transcripts } = this.parts;
    this.isWoken = false;
    return runs.turn(request.claims, request.runId, { after: this.after, transcripts });
  }

  private stir(): void {
    this.isWoken = true;
    this.wake?.();
  }

  private async rest(): Promise<void> {
    if (this.isWoken || this.gone.signal.aborted) return;
    await new Promise<void>((resolve) => {
      this.wake = resolve;
    });
    this.wake = undefined;
  }

  private async sayReady(): Promise<true> {
    await this.send("ready", { runId: this.parts.request.runId, seq: this.after, state: this.state });
    return true;
  }

  private async deliver(event: RunEventView, isLive: boolean): Promise<void> {
    await this.send("run.event_appended", event, String(event.seq));
    this.after = event.seq;
    const hint = isLive ? hintOf(event) : undefined;
    if (hint) await this.send(hint, { runId: this.parts.request.runId, ...event.payload, type: event.type });
  }

  private async deliverRest({ state, failedAt, chunks }: RunStreamTurn): Promise<void> {
    if (state !== this.state) {
      this.state = state;
      await this.send("run.state_changed", { runId: this.parts.request.runId, state });
    }
    if (failedAt !== this.failedAt) {
      this.failedAt = failedAt;
      await this.send("run.step_failure_changed", { runId: this.parts.request.runId, failedAt });
    }
    for (const chunk of chunks) {
      await this.send("transcript.chunk_appended", { runId: this.parts.request.runId, ...chunk });
      this.parts.transcripts.set(chunk.sessionId, chunk.seq);
    }
  }

  /** In slices, as the reader takes them; one that takes nothing for two heartbeats is gone. */
  private async send(event: RunStreamEvent, data: unknown, id?: string): Promise<void> {
    const { limits, times, clock } = this.parts;
    const bytes = frame(event, JSON.stringify(data), id);
    const slice = Math.max(1, Math.floor(limits.maxWaitingBytes / 4));
    for (let start = 0; start < bytes.length; start += slice) {
      if (this.outbox.waitingBytes > limits.maxWaitingBytes / 2) {
        const isTaken = await Promise.race([
          this.outbox.drained().then(() => true),
          clock.sleep(2 * times.heartbeatMs, this.gone.signal).then(
            () => false,
            () => true,
          ),
        ]);
        if (!isTaken) this.outbox.drop();
      }
      if (!this.outbox.push(bytes.subarray(start, start + slice))) return;
    }
  }
}

/** Which part of a page an event makes stale. */
function hintOf({ type }: RunEventView): RunStreamEvent | undefined {
  if (type === "approval.requested") return "approval.created";
  if (type === "approval.resolved" || type === "approval.timed_out") return "approval.resolved";
  if (type === "report.written") return "report.written";
  if (type.startsWith("phase.")) return "phase.state_changed";
  if (type.startsWith("session.")) return "session.state_changed";
  if (type === "artifact.validated" || type === "artifact.invalid") return "artifact.validated";
  return undefined;
}
