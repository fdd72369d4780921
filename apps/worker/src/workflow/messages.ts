/**
 * What travels through Temporal: ids, names of machines and durations, never content. Its history may be kept anywhere.
 *
 * Histories of released workflows are replayed in a test, so a member may be added here and never removed.
 */
export interface RunInput {
  readonly runId: string;
  /** The machine that drives the run, as far as the starter knows. */
  readonly host: string;
  readonly times: StintTimes;
}

export interface StintTimes {
  /** A worker that is silent for this long has died, and its stint begins again. */
  readonly heartbeatMs: number;
  /** A machine that takes up nothing for this long may be gone: another one is asked where the run is. */
  readonly toStartMs: number;
}

export const defaultTimes: StintTimes = { heartbeatMs: 30_000, toStartMs: 60_000 };

/** Something about the run changed. */
export interface Wake {
  readonly host: string;
  /** The stint under way is that of a worker which has died: do not wait for it. */
  readonly again?: boolean;
}

export const wakeSignal = "wake";
export const runsQueue = "devflow-runs";
export const hostQueue = (host: string): string => `devflow-host-${host}`;
