/**
 * What the server needs from runs: routes under `/api`, the reads of `/sse/runs/:id`, and whether runs are active.
 *
 * - `mountRuns(runs, server)` returns them as a mount, with their live streams.
 */
import type { RunState } from "@devflow/core/enums";
import type { Claims } from "@devflow/db";
import type { RunEventView } from "@devflow/protocol";
import type { Hono } from "hono";
import { runStreamRoutes } from "./live/run-stream-routes.ts";
import { startRunStreams } from "./live/run-streams.ts";
import { mountedRoutes } from "./mounts/mounted-routes.ts";
import type { Mounted } from "./mounts/mounts.ts";
import type { ServerParts } from "./mounts/server-parts.ts";

export interface RunsMount {
  /** They find the caller in the context. */
  readonly routes: Hono<{ Variables: { caller: { readonly claims: Claims } } }>;
  readonly live: RunStreamSource;
  /** What a restart would disturb, as text. */
  busy(): Promise<string[]>;
  /** What is wrong and stops nobody, as text. */
  problems(): Promise<string[]>;
  /** Releases every run; agents keep running and are found again. */
  stop(): Promise<void>;
}

export function mountRuns(runs: RunsMount, { clock, log, limits, times, wrote }: ServerParts): Mounted {
  const streams = startRunStreams({ runs: runs.live, clock, log, limits, times });
  const forget = runs.live.onVisible(() => wrote(undefined));
  return {
    answer: mountedRoutes((app) => app.route("/api", runs.routes).route("/sse/runs", runStreamRoutes(streams))),
    get subscribers() {
      return streams.subscribers;
    },
    busy: () => runs.busy(),
    problems: () => runs.problems(),
    drain: () => runs.stop(),
    async stop() {
      forget();
      await streams.stop();
    },
  };
}

export interface RunStreamSource {
  /** What came after the cursors, read on behalf of the caller; undefined when the caller may not see the run. */
  turn(
    claims: Claims,
    runId: string,
    cursors: { readonly after: number; readonly transcripts: ReadonlyMap<string, number> },
  ): Promise<RunStreamTurn | undefined>;
  /** Where the transcript of each session ends now. */
  transcriptEnds(claims: Claims, runId: string): Promise<Map<string, number>>;
  follow(runId: string, wake: () => void): () => void;
  /** Something shown in lists of runs has changed. */
  onVisible(listen: () => void): () => void;
}

export interface RunStreamTurn {
  readonly state: RunState;
  /** The run's last seq. */
  readonly head: number;
  /** When the step that keeps the run from advancing failed last. */
  readonly failedAt: string | null;
  readonly events: readonly RunEventView[];
  readonly chunks: readonly {
    readonly sessionId: string;
    readonly seq: number;
    readonly role: string;
    readonly content: string;
    readonly at: string;
  }[];
}
