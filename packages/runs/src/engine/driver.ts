/**
 * What drives runs: it looks at a run, performs its next step, and looks again. The inline driver does so inside the
 * server's process; a distributed engine is another driver behind the same interface.
 *
 * - `wake(runId)` the run is new, or something about it changed: drive it from now on, or look again.
 * - `nudge(runId)` look again, if the run is driven here; a run of another driver is left to it.
 * - `start` takes up every unfinished run of this machine. `stop` lets go of all of them; sessions live on.
 */
export interface RunDriver {
  wake(runId: string): void;
  nudge(runId: string): void;
  start(): Promise<void>;
  stop(): Promise<void>;
}
