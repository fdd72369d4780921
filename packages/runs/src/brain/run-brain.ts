/**
 * What runs need of the team's memory. The brain implements it, and the command line passes it in; runs without one work the same.
 *
 * - `tell` takes what a run's agents are about to do, did and left behind; the same fact again is the same record.
 * - `present` takes who is at work now; an agent that is no longer in the list has stopped.
 * - `contextFor` what the team knows about files, as a block for a prompt; empty when it knows nothing.
 */
export interface RunBrain {
  tell(facts: readonly BrainFact[]): Promise<void>;
  present(agents: readonly PresentAgent[]): Promise<void>;
  contextFor(
    about: { readonly repository: string; readonly files: readonly string[] },
    signal: AbortSignal,
  ): Promise<string>;
}

/** One session of a run. */
export interface RunAgent {
  readonly session: string;
  readonly role: string;
  readonly model: string | null;
}

interface OfRun {
  /** The run that a person started, also for what its lanes do. */
  readonly runId: string;
  /** The folder of the repository. */
  readonly repository: string;
  readonly branch: string;
  readonly agent: RunAgent;
}

export interface PresentAgent extends OfRun {
  readonly doing: string;
}

export type BrainFact =
  | (OfRun & {
      readonly is: "intent";
      /** Counts up with each change of the run. */
      readonly rev: number;
      readonly text: string;
      readonly state: "active" | "shipped" | "abandoned";
    })
  | (OfRun & {
      readonly is: "commit";
      readonly commit: string;
      /** What the branch was at before. */
      readonly before: string;
      /** What the agent had been asked for. */
      readonly asked: string;
      readonly at: Date;
    })
  | (OfRun & { readonly is: "handoff"; readonly text: string; readonly at: Date });
