/**
 * Drives runs: reads a run, performs its next step, and repeats. The inline driver does so inside the server's process; a
 * distributed engine is another driver behind the same interface.
 *
 * - `wake(runId)` the run is new, or something about it changed: start driving it, or read it again.
 * - `nudge(runId)` read it again, if the run is driven here; a run of another driver is left alone. Without an id, every
 *   run that changed since its driver looked.
 * - `start` resumes every unfinished run of this machine. `stop` releases all of them; sessions keep running.
 */
export interface RunDriver {
  wake(runId: string): void;
  nudge(runId?: string): void;
  start(): Promise<void>;
  stop(): Promise<void>;
}
