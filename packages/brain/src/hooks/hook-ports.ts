/**
 * What hooks need of the process that runs them. The app supplies it, because the spool and the team cache belong to another system.
 */
import type { Checkout } from "@devflow/git/checkout";
import type { BrainKind } from "../records/index.ts";
import type { HookSettings } from "./hook-settings.ts";

/** Where a file or a folder belongs. */
export interface HookPlace {
  readonly checkout: Checkout;
  readonly settings: HookSettings;
  /** Undefined without a team: then nothing is recorded. */
  readonly team?: HookTeam;
}

export interface HookTeam {
  readonly server: string;
  readonly team: string;
  readonly user: string;
  /** What teammates call the person. */
  readonly handle: string;
  readonly machine: string;
  /** The canonical remote. */
  readonly repo: string;
}

/** What the team knows about a file. */
export interface FileContext {
  /** For the agent, within its budget; empty when there is nothing to say. */
  readonly text: string;
  /** The decisions that are in it. */
  readonly decisions: readonly { readonly id: string; readonly rev: number }[];
}

export interface HookPorts {
  /** `~/.devflow`. */
  readonly home: string;
  now(): number;
  /** Aborted at the hook's deadline. */
  readonly signal: AbortSignal;
  /** Undefined outside a repository. */
  place(folder: string): Promise<HookPlace | undefined>;
  /** Rejects when the disk does not take it. */
  spool(place: HookTeam, record: { kind: BrainKind; agent: string; payload: object }): Promise<void>;
  /** Something was left for the team: somebody has to send it. */
  wake(place: HookTeam): void;
  /** Text for the start of a session, within its budget. */
  digest(place: HookPlace, agent: string): Promise<string>;
  contextForFile(place: HookPlace, file: string, agent: string): Promise<FileContext>;
  /** The conflicts that a push from this folder would cause, in words; undefined when there are none. */
  precheck(folder: string, agent: string | undefined): Promise<string | undefined>;
  /** What the agent seems to be about to do; undefined when it cannot be told. */
  inferIntent(from: IntentClues): Promise<{ readonly text: string; readonly confidence: number } | undefined>;
  /** `git config` aliases of a folder. */
  aliases(folder: string): Promise<Readonly<Record<string, string>>>;
  redact(text: string): Promise<string>;
}

export interface IntentClues {
  readonly branch: string | null;
  readonly prompt: string;
  readonly files: readonly string[];
}

/** What is said to the agent. `ask`: the person is asked before the tool runs. */
export interface HookAnswer {
  readonly context?: string;
  readonly ask?: string;
}
